// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the suites of fabrics need beside the usual tools: messages between all pairs of ports, datagrams to all members of a
 * multicast group, and a forwarding table that no subnet manager would write.
 */
#include <dirent.h>
#include <rdma/ib_user_mad.h>
#include <sys/ioctl.h>

#include "vt.h"

#define MAX_ENDS 256
#define LEN 12345 /* several packets of every MTU, the last one not full */
#define MTU_LEN 2044 /* what IPoIB's group allows, without IPoIB's header */
#define IPOIB_QKEY 0x0b1b

static struct vt_end ends[MAX_ENDS];
static struct ibv_mr *mrs[MAX_ENDS];
static int nends;

static void usage(FILE *to)
{
	fprintf(to, "Usage: fabric_check pairs DEVICE:PORT...\n"
		    "       fabric_check mcast MGID MLID DEVICE:PORT...\n"
		    "       fabric_check lft DEVICE:PORT SWITCH_LID DLID OUT_PORT\n"
		    "pairs: an RC message from each port to each other one, data compared.\n"
		    "mcast: a datagram from each port, which all, the sender too, must get once. The ports are members already.\n"
		    "lft: sets an entry of the linear forwarding table of a switch; sent from DEVICE:PORT.\n"
		    "Exit status 0: well; 1: it failed; 2: wrong arguments; 4: time limit.\n");
}

/* Takes DEVICE:PORT apart, in place. */
static int port_of(char *arg)
{
	char *colon = strchr(arg, ':');
	int port = colon ? atoi(colon + 1) : 0;

	if (!port) {
		usage(stderr);
		exit(2);
	}
	*colon = '\0';
	return port;
}

static void open_ends(int n, char **args)
{
	CHECK(n >= 2 && n <= MAX_ENDS, "%d ports", n);
	for (nends = 0; nends < n; nends++) {
		int port = port_of(args[nends]);

		vt_open(&ends[nends], args[nends], port, 0);
		/* what is sent, and what is received */
		mrs[nends] = vt_buf(&ends[nends], 2 * LEN);
	}
}

/* ---- pairs */

static void send_one(int a, int b, struct ibv_qp *qa, struct ibv_qp *qb)
{
	struct ibv_sge sge = vt_sge(mrs[a], 0, LEN);
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	uint32_t seed = a * MAX_ENDS + b;
	struct ibv_wc wc;
	char what[128];

	snprintf(what, sizeof(what), "%s:%d to %s:%d", ends[a].name, ends[a].port, ends[b].name, ends[b].port);
	vt_doing = what;
	vt_fill(mrs[a]->addr, LEN, seed);
	memset((char *)mrs[b]->addr + LEN, 0, LEN);
	vt_recv(qb, 2, mrs[b], LEN, LEN);
	vt_post(qa, &wr);
	vt_wc(qa->send_cq, &wc);
	CHECK(wc.status == IBV_WC_SUCCESS, "%s: %s", what, ibv_wc_status_str(wc.status));
	vt_wc(qb->recv_cq, &wc);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.byte_len == LEN, "%s: receive: %s, %u bytes", what, ibv_wc_status_str(wc.status),
	      wc.byte_len);
	vt_verify((char *)mrs[b]->addr + LEN, LEN, seed, what);
	vt_doing = "pairs";
}

/* FABRIC_MTU in the environment: the MTU of paths in bytes, where a link between switches has less than the ports */
static enum ibv_mtu most_mtu(void)
{
	const char *text = getenv("FABRIC_MTU");
	int bytes = text ? atoi(text) : 4096;
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && 128 << (mtu + 1) <= bytes)
		mtu++;
	return mtu;
}

static void pair(int a, int b)
{
	unsigned int mark = vt_nthings;
	struct ibv_qp *qa = vt_qp(&ends[a], (struct vt_qp_opts){ .wr = 4, .sge = 1 });
	struct ibv_qp *qb = vt_qp(&ends[b], (struct vt_qp_opts){ .wr = 4, .sge = 1 });
	enum ibv_mtu mtu = ends[a].attr.active_mtu < ends[b].attr.active_mtu ? ends[a].attr.active_mtu : ends[b].attr.active_mtu;

	if (mtu > most_mtu())
		mtu = most_mtu();
	vt_to_init(qa, ends[a].port, VT_ACCESS_ALL);
	vt_to_init(qb, ends[b].port, VT_ACCESS_ALL);
	vt_to_rts(qa, ends[a].port, 7, &(struct vt_path){ .qpn = qb->qp_num, .lid = ends[b].attr.lid, .psn = 9, .mtu = mtu });
	vt_to_rts(qb, ends[b].port, 9, &(struct vt_path){ .qpn = qa->qp_num, .lid = ends[a].attr.lid, .psn = 7, .mtu = mtu });
	send_one(a, b, qa, qb);
	send_one(b, a, qb, qa);
	CHECK(!vt_drop_to(mark), "clean-up failed");
}

static void pairs(void)
{
	int a, b, n = 0;

	for (a = 0; a < nends; a++)
		for (b = a + 1; b < nends; b++, n += 2)
			pair(a, b);
	printf("%d messages between %d ports\n", n, nends);
}

/* ---- mcast */

static void member(int i, struct ibv_qp **qp, const union ibv_gid *mgid, uint16_t mlid)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = ends[i].port, .qkey = IPOIB_QKEY };
	int err, k;

	*qp = vt_qp(&ends[i], (struct vt_qp_opts){ .type = IBV_QPT_UD, .wr = MAX_ENDS, .sge = 1 });
	err = ibv_modify_qp(*qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	CHECK(!err, "modify to INIT: %s", strerror(err));
	vt_to_rts(*qp, ends[i].port, 0, &(struct vt_path){});
	err = ibv_attach_mcast(*qp, mgid, mlid);
	CHECK(!err, "attach_mcast: %s", strerror(err));
	for (k = 0; k < nends; k++)
		vt_recv(*qp, k, mrs[i], LEN, 40 + MTU_LEN);
}

/* The datagram of `from` comes to all members, its sender too, and to none twice. IPoIB's own datagrams come, too: they have no such data. */
static void one_to_all(int from, struct ibv_qp **qps, struct ibv_ah *ah)
{
	struct ibv_sge sge = vt_sge(mrs[from], 0, MTU_LEN);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htobe32(0xfab00000u | from),
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.ud = { .ah = ah, .remote_qpn = 0xffffff, .remote_qkey = IPOIB_QKEY } };
	struct ibv_wc wc;
	int i;

	vt_fill(mrs[from]->addr, MTU_LEN, from);
	vt_post(qps[from], &wr);
	vt_wc_ok(qps[from]->send_cq, &wc);
	for (i = 0; i < nends; i++) {
		do {
			CHECK(vt_try_wc(qps[i]->recv_cq, &wc, VT_WAIT_MS), "%s:%d did not get the datagram of %s:%d", ends[i].name,
			      ends[i].port, ends[from].name, ends[from].port);
			CHECK(wc.status == IBV_WC_SUCCESS, "%s:%d: %s", ends[i].name, ends[i].port, ibv_wc_status_str(wc.status));
			vt_recv(qps[i], 0, mrs[i], LEN, 40 + MTU_LEN);
		} while (!(wc.wc_flags & IBV_WC_WITH_IMM) || be32toh(wc.imm_data) >> 20 != 0xfab);
		CHECK(be32toh(wc.imm_data) == (0xfab00000u | from), "%s:%d got datagram 0x%x, that of %d was due", ends[i].name,
		      ends[i].port, be32toh(wc.imm_data), from);
		vt_verify((char *)mrs[i]->addr + LEN + 40, MTU_LEN, from, "datagram");
	}
}

static void mcast(const char *gid, const char *lid)
{
	struct ibv_qp *qps[MAX_ENDS];
	uint16_t mlid = strtoul(lid, NULL, 0);
	union ibv_gid mgid;
	int i, err;

	CHECK(inet_pton(AF_INET6, gid, mgid.raw) == 1 && mlid >= 0xc000, "not a group: %s %s", gid, lid);
	for (i = 0; i < nends; i++)
		member(i, &qps[i], &mgid, mlid);
	for (i = 0; i < nends; i++) {
		struct ibv_ah_attr attr = { .dlid = mlid, .port_num = ends[i].port, .is_global = 1, .grh.dgid = mgid };
		struct ibv_ah *ah = ibv_create_ah(ends[i].pd, &attr);

		CHECK(ah, "create_ah: %s", strerror(errno));
		vt_track(VT_AH, ah);
		one_to_all(i, qps, ah);
	}
	for (i = 0; i < nends; i++) {
		err = ibv_detach_mcast(qps[i], &mgid, mlid);
		CHECK(!err, "detach_mcast: %s", strerror(err));
	}
	printf("%d datagrams to %d members each\n", nends, nends);
}

/* ---- lft: an SMP by LID */

#define SMP_BYTES 256
#define SMP_GET 1
#define SMP_SET 2
#define SMP_GET_RESP 0x81
#define ATTR_LFT 0x19
#define LFT_BLOCK 64
#define SMP_DATA 64

static bool file_is(const char *dir, const char *name, const char *file, const char *want)
{
	char path[512], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%63s", text) != 1)
		text[0] = '\0';
	fclose(f);
	return !strcmp(text, want);
}

static int open_umad(const char *device, int port)
{
	static const char dir[] = "/sys/class/infiniband_mad";
	char text[16], path[300] = "";
	struct dirent *d;
	DIR *all = opendir(dir);
	int fd;

	CHECK(all, "%s: %s", dir, strerror(errno));
	snprintf(text, sizeof(text), "%d", port);
	while ((d = readdir(all)))
		if (!strncmp(d->d_name, "umad", 4) && file_is(dir, d->d_name, "ibdev", device) && file_is(dir, d->d_name, "port", text))
			snprintf(path, sizeof(path), "/dev/infiniband/%s", d->d_name);
	closedir(all);
	CHECK(*path, "%s:%d has no umad", device, port);
	fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

/* Asks a switch for a block of its table, or sets it; the answer is in block. */
static void smp(int fd, unsigned int agent, int method, uint16_t lid, uint32_t number, uint8_t *block)
{
	struct {
		struct ib_user_mad_hdr hdr;
		uint8_t mad[SMP_BYTES];
	} m = { .hdr = { .id = agent, .timeout_ms = 2000, .retries = 3, .lid = htobe16(lid) } };

	m.mad[0] = 1; /* base version */
	m.mad[1] = 1; /* class: subnet management by LID */
	m.mad[2] = 1;
	m.mad[3] = method;
	m.mad[15] = method; /* transaction: ib_umad refuses that of a request whose send is not completed yet */
	m.mad[17] = ATTR_LFT;
	m.mad[22] = number >> 8;
	m.mad[23] = number;
	memcpy(m.mad + SMP_DATA, block, LFT_BLOCK);
	CHECK(write(fd, &m, sizeof(m)) == sizeof(m), "umad write: %s", strerror(errno));
	CHECK(vt_readable(fd, VT_WAIT_MS), "no answer");
	CHECK(read(fd, &m, sizeof(m)) == sizeof(m), "umad read: %s", strerror(errno));
	CHECK(!m.hdr.status, "no answer from LID %u: %s", lid, strerror(m.hdr.status));
	CHECK(m.mad[3] == SMP_GET_RESP && !m.mad[4] && !m.mad[5], "method 0x%x, status 0x%02x%02x", m.mad[3], m.mad[4], m.mad[5]);
	memcpy(block, m.mad + SMP_DATA, LFT_BLOCK);
}

static void lft(const char *device, int port, uint16_t lid, uint16_t dlid, uint8_t out)
{
	struct ib_user_mad_reg_req req = { .mgmt_class = 1, .mgmt_class_version = 1 };
	uint8_t block[LFT_BLOCK] = {}, was;
	int fd = open_umad(device, port);

	CHECK(!ioctl(fd, IB_USER_MAD_ENABLE_PKEY), "ENABLE_PKEY: %s", strerror(errno));
	CHECK(!ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &req), "REGISTER_AGENT: %s", strerror(errno));
	smp(fd, req.id, SMP_GET, lid, dlid / LFT_BLOCK, block);
	was = block[dlid % LFT_BLOCK];
	block[dlid % LFT_BLOCK] = out;
	smp(fd, req.id, SMP_SET, lid, dlid / LFT_BLOCK, block);
	CHECK(block[dlid % LFT_BLOCK] == out, "the entry is %u", block[dlid % LFT_BLOCK]);
	printf("switch %u: LID %u by port %u instead of %u\n", lid, dlid, out, was);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int i, port;

	vt_prog = "fabric_check";
	vt_limit(100);
	if (!strcmp(what, "lft") && argc == 6) {
		port = port_of(argv[2]);
		lft(argv[2], port, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
		return 0;
	}
	if (!strcmp(what, "pairs") && argc > 3) {
		open_ends(argc - 2, argv + 2);
		pairs();
	} else if (!strcmp(what, "mcast") && argc > 5) {
		open_ends(argc - 4, argv + 4);
		mcast(argv[2], argv[3]);
	} else {
		usage(stderr);
		return 2;
	}
	CHECK(!vt_drop_all(), "clean-up failed");
	for (i = 0; i < nends; i++)
		vt_close(&ends[i]);
	return 0;
}
