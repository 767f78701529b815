// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two processes, a TCP connection to get acquainted, then messages over RDMA:
 * the server SENDs, the client READs the server's memory, the client WRITEs it,
 * then adds to its first eight bytes, and swaps them (not with a --size below 8).
 * Every byte is checked on both sides.
 */
#include <getopt.h>
#include <netdb.h>
#include <sys/socket.h>

#include "vt.h"

#define SEED_SEND 1
#define SEED_READ 2
#define SEED_WRITE 3

struct config {
	const char *device;
	int port;
	int gid_index; /* -1: no GRH */
	const char *tcp_port;
	size_t size;
	const char *server; /* NULL: we are the server */
};

/* What each tells the other; network order. */
struct hello {
	uint64_t addr;
	uint32_t rkey;
	uint32_t qpn;
	uint32_t psn;
	uint32_t size;
	uint16_t lid;
	uint8_t gid[16];
} __attribute__((packed));

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: rdma_aware [OPTION]... [SERVER]\n"
		"Without SERVER waits for one client; with SERVER connects to it.\n"
		"  -d, --device NAME  RDMA device (the first one)\n"
		"  -i, --port N       port of the device (1)\n"
		"  -g, --gid N        use a GRH with the GID of this index (no GRH)\n"
		"  -p, --tcp PORT     TCP port to get acquainted (18515)\n"
		"  -s, --size BYTES   size of each message (65536)\n"
		"  -t, --limit S      give up after so many seconds (60)\n"
		"Exit status 0: all bytes were right; 1: not; 2: wrong arguments; 4: time limit.\n");
}

static int tcp_listen_once(const char *port)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM,
				  .ai_family = AF_INET };
	struct addrinfo *res;
	int fd, conn, on = 1, err;

	err = getaddrinfo(NULL, port, &hints, &res);
	CHECK(!err, "TCP port %s: %s", port, gai_strerror(err));
	fd = socket(res->ai_family, res->ai_socktype, res->ai_protocol);
	CHECK(fd >= 0, "socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	CHECK(!bind(fd, res->ai_addr, res->ai_addrlen) && !listen(fd, 1), "TCP port %s: %s", port,
	      strerror(errno));
	freeaddrinfo(res);
	printf("listening on TCP port %s\n", port);
	fflush(stdout);
	conn = accept(fd, NULL, NULL);
	CHECK(conn >= 0, "accept: %s", strerror(errno));
	close(fd);
	return conn;
}

/* The server may start a moment later than we: try until it is there. */
static int tcp_connect(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_INET };
	uint64_t until = vt_now_ms() + VT_WAIT_MS;
	struct addrinfo *res;
	int fd, err;

	err = getaddrinfo(host, port, &hints, &res);
	CHECK(!err, "%s port %s: %s", host, port, gai_strerror(err));
	for (;;) {
		fd = socket(res->ai_family, res->ai_socktype, res->ai_protocol);
		CHECK(fd >= 0, "socket: %s", strerror(errno));
		if (!connect(fd, res->ai_addr, res->ai_addrlen))
			break;
		err = errno;
		close(fd);
		CHECK(vt_now_ms() < until, "cannot connect to %s port %s: %s", host, port,
		      strerror(err));
		poll(NULL, 0, 20);
	}
	freeaddrinfo(res);
	return fd;
}

static void exchange(int sock, const void *mine, void *theirs, size_t len)
{
	size_t got = 0;
	ssize_t n;

	CHECK(write(sock, mine, len) == (ssize_t)len, "write to the peer: %s", strerror(errno));
	while (got < len) {
		n = read(sock, (char *)theirs + got, len - got);
		CHECK(n > 0, "the peer went away");
		got += n;
	}
}

/* Both arrive here before either goes on. */
static void meet(int sock, char step)
{
	char theirs = 0;

	exchange(sock, &step, &theirs, 1);
	CHECK(theirs == step, "the peer is at step %c, we are at %c", theirs, step);
}

static void one_sided(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_mr *mr, uint32_t len,
		      const struct hello *peer)
{
	struct ibv_sge sge = vt_sge(mr, 0, len);
	struct ibv_send_wr wr = { .wr_id = op, .sg_list = &sge, .num_sge = 1, .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	if (op != IBV_WR_SEND) {
		wr.wr.rdma.remote_addr = be64toh(peer->addr);
		wr.wr.rdma.rkey = ntohl(peer->rkey);
	}
	vt_post(qp, &wr);
	vt_wc_ok(qp->send_cq, &wc);
}

#define WORD 0x1122334455667788ULL
#define ADDEND 0x0101010101010101ULL
#define SWAPPED 0xcafef00d12345678ULL

/* Returns what the word at the peer was before. */
static uint64_t atomic(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_mr *mr, uint64_t compare_add, uint64_t swap,
		       const struct hello *peer)
{
	struct ibv_sge sge = vt_sge(mr, 0, 8);
	struct ibv_send_wr wr = { .wr_id = op, .sg_list = &sge, .num_sge = 1, .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	uint64_t before;

	wr.wr.atomic.remote_addr = be64toh(peer->addr);
	wr.wr.atomic.rkey = ntohl(peer->rkey);
	wr.wr.atomic.compare_add = compare_add;
	wr.wr.atomic.swap = swap;
	memset(mr->addr, 0, 8);
	vt_post(qp, &wr);
	vt_wc_ok(qp->send_cq, &wc);
	memcpy(&before, mr->addr, 8);
	return before;
}

static void was(uint64_t got, uint64_t wanted, const char *what)
{
	CHECK(got == wanted, "%s: the word was 0x%llx, not 0x%llx", what, (unsigned long long)got,
	      (unsigned long long)wanted);
}

static void atomics(struct ibv_qp *qp, struct ibv_mr *mr, bool server, int sock, const struct hello *peer)
{
	uint64_t word = WORD;

	vt_doing = "atomics";
	if (server)
		memcpy(mr->addr, &word, 8);
	meet(sock, 'a');
	if (!server) {
		was(atomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, mr, ADDEND, 0, peer), WORD, "FETCH_ADD");
		was(atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, mr, WORD, 0, peer), WORD + ADDEND, "CMP_SWAP that does not match");
		was(atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, mr, WORD + ADDEND, SWAPPED, peer), WORD + ADDEND, "CMP_SWAP");
		printf("FETCH_ADD, CMP_SWAP: right\n");
	}
	meet(sock, 'b');
	if (server) {
		memcpy(&word, mr->addr, 8);
		was(word, SWAPPED, "after atomics");
	}
}

static void talk(const struct config *cfg, struct vt_end *end, int sock)
{
	bool server = !cfg->server;
	struct hello mine = {}, peer;
	struct vt_path path = {};
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_wc wc;

	cq = vt_cq(end, 16, NULL);
	mr = vt_buf(end, cfg->size);
	qp = vt_qp(end, (struct vt_qp_opts){ .scq = cq, .rcq = cq, .wr = 4, .sge = 1 });

	mine.addr = htobe64((uintptr_t)mr->addr);
	mine.rkey = htonl(mr->rkey);
	mine.qpn = htonl(qp->qp_num);
	mine.psn = htonl(getpid() & 0xffffff);
	mine.lid = htons(end->attr.lid);
	mine.size = htonl(cfg->size);
	memcpy(mine.gid, end->gid.raw, 16);
	exchange(sock, &mine, &peer, sizeof(mine));
	printf("local  LID 0x%x QPN 0x%x address 0x%llx rkey 0x%x\n", end->attr.lid, qp->qp_num,
	       (unsigned long long)(uintptr_t)mr->addr, mr->rkey);
	printf("remote LID 0x%x QPN 0x%x address 0x%llx rkey 0x%x\n", ntohs(peer.lid),
	       ntohl(peer.qpn), (unsigned long long)be64toh(peer.addr), ntohl(peer.rkey));
	CHECK(ntohl(peer.size) == cfg->size, "the peer uses --size %u", ntohl(peer.size));

	path.qpn = ntohl(peer.qpn);
	path.psn = ntohl(peer.psn);
	path.lid = ntohs(peer.lid);
	path.mtu = end->attr.active_mtu;
	path.use_grh = cfg->gid_index >= 0;
	path.sgid_index = cfg->gid_index;
	memcpy(path.dgid.raw, peer.gid, 16);
	vt_to_init(qp, cfg->port, VT_ACCESS_ALL);
	if (!server)
		vt_recv(qp, 1, mr, 0, cfg->size);
	vt_to_rts(qp, cfg->port, ntohl(mine.psn), &path);
	meet(sock, 'c');

	vt_doing = "SEND";
	if (server) {
		vt_fill(mr->addr, cfg->size, SEED_SEND);
		one_sided(qp, IBV_WR_SEND, mr, cfg->size, &peer);
		vt_fill(mr->addr, cfg->size, SEED_READ);
	} else {
		vt_wc_ok(cq, &wc);
		CHECK(wc.opcode == IBV_WC_RECV && wc.byte_len == cfg->size,
		      "receive of %u bytes, opcode %d", wc.byte_len, wc.opcode);
		vt_verify(mr->addr, cfg->size, SEED_SEND, "SEND");
		printf("SEND: %zu bytes are right\n", cfg->size);
	}
	meet(sock, 'r');

	vt_doing = "READ";
	if (!server) {
		memset(mr->addr, 0, cfg->size);
		one_sided(qp, IBV_WR_RDMA_READ, mr, cfg->size, &peer);
		vt_verify(mr->addr, cfg->size, SEED_READ, "READ");
		printf("READ: %zu bytes are right\n", cfg->size);
	}
	meet(sock, 'w');

	vt_doing = "WRITE";
	if (!server) {
		vt_fill(mr->addr, cfg->size, SEED_WRITE);
		one_sided(qp, IBV_WR_RDMA_WRITE, mr, cfg->size, &peer);
	}
	meet(sock, 'd');
	if (server) {
		vt_verify(mr->addr, cfg->size, SEED_WRITE, "WRITE");
		printf("WRITE: %zu bytes are right\n", cfg->size);
	}
	if (cfg->size >= 8)
		atomics(qp, mr, server, sock, &peer);
	/* the peer's last word says that it, too, found all right */
	meet(sock, 'e');

	vt_doing = "clean-up";
	CHECK(!vt_drop_all(), "clean-up failed");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "port", required_argument, NULL, 'i' },
		{ "gid", required_argument, NULL, 'g' },    { "tcp", required_argument, NULL, 'p' },
		{ "size", required_argument, NULL, 's' },   { "limit", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },	    {},
	};
	struct config cfg = { .port = 1, .gid_index = -1, .tcp_port = "18515", .size = 65536 };
	unsigned int limit = 60;
	struct vt_end end;
	int c, sock;

	vt_prog = "rdma_aware";
	while ((c = getopt_long(argc, argv, "d:i:g:p:s:t:h", options, NULL)) != -1) {
		switch (c) {
		case 'd': cfg.device = optarg; break;
		case 'i': cfg.port = atoi(optarg); break;
		case 'g': cfg.gid_index = atoi(optarg); break;
		case 'p': cfg.tcp_port = optarg; break;
		case 's': cfg.size = strtoul(optarg, NULL, 0); break;
		case 't': limit = strtoul(optarg, NULL, 0); break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	if (optind < argc)
		cfg.server = argv[optind++];
	if (optind < argc || !cfg.size || cfg.size > 1u << 30 || cfg.port < 1 || cfg.port > 255) {
		usage(stderr);
		return 2;
	}
	vt_limit(limit);
	signal(SIGPIPE, SIG_IGN);

	vt_doing = "opening the device";
	vt_open(&end, cfg.device, cfg.port, cfg.gid_index < 0 ? 0 : cfg.gid_index);
	vt_doing = "TCP connection";
	sock = cfg.server ? tcp_connect(cfg.server, cfg.tcp_port) : tcp_listen_once(cfg.tcp_port);
	vt_doing = "set-up";
	talk(&cfg, &end, sock);
	vt_close(&end);
	close(sock);
	printf("%s: all verified\n", cfg.server ? "client" : "server");
	return 0;
}
