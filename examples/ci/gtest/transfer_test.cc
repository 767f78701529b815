// SPDX-License-Identifier: GPL-2.0-only
// A WRITE and a READ within one adapter, as tests of GoogleTest.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

namespace
{

template <typename T> using Owned = std::unique_ptr<T, int (*)(T *)>;

class Loopback : public ::testing::Test
{
      protected:
	static constexpr int kAll =
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

	void SetUp() override
	{
		ibv_device **list = ibv_get_device_list(nullptr);
		ASSERT_NE(list, nullptr);
		if (list[0])
			ctx_.reset(ibv_open_device(list[0]));
		ibv_free_device_list(list);
		ASSERT_NE(ctx_, nullptr);
		pd_.reset(ibv_alloc_pd(ctx_.get()));
		ASSERT_NE(pd_, nullptr);
		cq_.reset(ibv_create_cq(ctx_.get(), 4, nullptr, nullptr, 0));
		ASSERT_NE(cq_, nullptr);
		mr_.reset(ibv_reg_mr(pd_.get(), memory_.data(), memory_.size(), kAll));
		ASSERT_NE(mr_, nullptr);
		ibv_qp_init_attr attr = {};
		attr.send_cq = attr.recv_cq = cq_.get();
		attr.qp_type = IBV_QPT_RC;
		attr.cap = { 1, 1, 1, 1, 0 };
		qp_.reset(ibv_create_qp(pd_.get(), &attr));
		ASSERT_NE(qp_, nullptr);
		Connect();
	}

	// The queue pair is its own peer.
	void Connect()
	{
		ibv_port_attr port = {};
		ASSERT_EQ(ibv_query_port(ctx_.get(), 1, &port), 0);
		ASSERT_EQ(port.state, IBV_PORT_ACTIVE);
		ibv_qp_attr attr = {};
		attr.qp_state = IBV_QPS_INIT;
		attr.port_num = 1;
		attr.qp_access_flags = kAll;
		ASSERT_EQ(ibv_modify_qp(qp_.get(), &attr,
					IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						IBV_QP_ACCESS_FLAGS),
			  0);
		attr.qp_state = IBV_QPS_RTR;
		attr.path_mtu = port.active_mtu;
		attr.dest_qp_num = qp_->qp_num;
		attr.ah_attr.dlid = port.lid;
		attr.ah_attr.port_num = 1;
		attr.max_dest_rd_atomic = 1;
		attr.min_rnr_timer = 12;
		ASSERT_EQ(ibv_modify_qp(qp_.get(), &attr,
					IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
						IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
						IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
			  0);
		attr.qp_state = IBV_QPS_RTS;
		attr.timeout = 14;
		attr.retry_cnt = 7;
		attr.rnr_retry = 6;
		attr.max_rd_atomic = 1;
		ASSERT_EQ(ibv_modify_qp(qp_.get(), &attr,
					IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
						IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
						IBV_QP_MAX_QP_RD_ATOMIC),
			  0);
	}

	// One request between the halves of the memory; returns the status of its completion.
	ibv_wc_status Run(ibv_wr_opcode opcode, size_t local, size_t remote, uint32_t bytes)
	{
		auto address = reinterpret_cast<uintptr_t>(memory_.data());
		ibv_sge sge = { address + local, bytes, mr_->lkey };
		ibv_send_wr wr = {}, *bad = nullptr;
		wr.sg_list = &sge;
		wr.num_sge = 1;
		wr.opcode = opcode;
		wr.send_flags = IBV_SEND_SIGNALED;
		wr.wr.rdma.remote_addr = address + remote;
		wr.wr.rdma.rkey = mr_->rkey;
		EXPECT_EQ(ibv_post_send(qp_.get(), &wr, &bad), 0);
		auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
		ibv_wc wc = {};
		int n;
		while (!(n = ibv_poll_cq(cq_.get(), 1, &wc)) &&
		       std::chrono::steady_clock::now() < until)
			;
		EXPECT_EQ(n, 1) << "no completion";
		return n == 1 ? wc.status : IBV_WC_GENERAL_ERR;
	}

	std::vector<char> memory_ = std::vector<char>(8192);
	Owned<ibv_context> ctx_{ nullptr, ibv_close_device };
	Owned<ibv_pd> pd_{ nullptr, ibv_dealloc_pd };
	Owned<ibv_cq> cq_{ nullptr, ibv_destroy_cq };
	Owned<ibv_mr> mr_{ nullptr, ibv_dereg_mr };
	Owned<ibv_qp> qp_{ nullptr, ibv_destroy_qp };
};

TEST_F(Loopback, WriteArrives)
{
	std::memcpy(memory_.data(), "written", 8);
	EXPECT_EQ(Run(IBV_WR_RDMA_WRITE, 0, 4096, 8), IBV_WC_SUCCESS);
	EXPECT_STREQ(memory_.data() + 4096, "written");
}

TEST_F(Loopback, ReadArrives)
{
	std::memcpy(memory_.data() + 4096, "read", 5);
	EXPECT_EQ(Run(IBV_WR_RDMA_READ, 0, 4096, 5), IBV_WC_SUCCESS);
	EXPECT_STREQ(memory_.data(), "read");
}

} // namespace
