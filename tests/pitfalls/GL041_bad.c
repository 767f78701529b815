// SPDX-License-Identifier: GPL-2.0-only
/* Memory is unmapped while a send names it. */
#include <sys/mman.h>

#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *ma;
	char *buf;
	int status;

	add_qps(&a, &b);
	connect_ends(&a, &b);
	buf = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ma = ibv_reg_mr(a.pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!ma)
		die("reg_mr: %s", strerror(errno));
	sge = sge_of(ma, 0, 4096);
	wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);

	/* lesson */
	post_send(&a, &wr);
	munmap(buf, 4096);
	status = wait_done(&a);
	ibv_dereg_mr(ma);
	/* end of lesson */

	remove_qp(&a);
	remove_qp(&b);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
