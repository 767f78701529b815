// SPDX-License-Identifier: GPL-2.0-only

// glass0 and glass1 send a message to each other, and compare it. Exit status: 0; 1 if a verb or a
// work request failed; 9 if the data is wrong.
package main

/*
#cgo LDFLAGS: -libverbs
#include <infiniband/verbs.h>
#include <stdlib.h>

// cgo cannot call macros: these functions do it.
static int query_port(struct ibv_context *context, uint8_t number, struct ibv_port_attr *port)
{
	return ibv_query_port(context, number, port);
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *address, size_t bytes, int access)
{
	return ibv_reg_mr(pd, address, bytes, access);
}

// A work request points to its SGEs. cgo does not pass memory of Go that points to memory of Go, so
// they are C variables.
static int post_recv(struct ibv_qp *qp, uint64_t id, void *address, uint32_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)address, bytes, lkey };
	struct ibv_recv_wr recv = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(qp, &recv, &bad);
}

static int post_send(struct ibv_qp *qp, uint64_t id, void *address, uint32_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)address, bytes, lkey };
	struct ibv_send_wr send = { .wr_id = id,
				    .sg_list = &sge,
				    .num_sge = 1,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	return ibv_post_send(qp, &send, &bad);
}
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

const (
	size = 10000
	wait = 5 * time.Second
)

type end struct {
	context *C.struct_ibv_context
	pd      *C.struct_ibv_pd
	cq      *C.struct_ibv_cq
	mr      *C.struct_ibv_mr
	qp      *C.struct_ibv_qp
	port    C.struct_ibv_port_attr
	// The sent message, then the received one. It is memory of C, because the adapter uses it after a
	// call has returned.
	memory unsafe.Pointer
	data   []byte
}

// done turns the error number that a verb returned into an error.
func done(what string, err C.int) error {
	if err != 0 {
		return fmt.Errorf("%s: %w", what, syscall.Errno(err))
	}
	return nil
}

func openDevice(name string) (*C.struct_ibv_context, error) {
	var number C.int
	list, err := C.ibv_get_device_list(&number)
	if list == nil {
		return nil, fmt.Errorf("get_device_list: %w", err)
	}
	defer C.ibv_free_device_list(list)
	for _, device := range unsafe.Slice(list, int(number)) {
		if C.GoString(C.ibv_get_device_name(device)) != name {
			continue
		}
		context, err := C.ibv_open_device(device)
		if context == nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return context, nil
	}
	return nil, fmt.Errorf("%s: no such adapter", name)
}

func newEnd(name string, message func(int) byte) (*end, error) {
	var err error
	e := &end{memory: C.calloc(2, size)}
	if e.memory == nil {
		return nil, errors.New("no memory")
	}
	e.data = unsafe.Slice((*byte)(e.memory), 2*size)
	for i := 0; i < size; i++ {
		e.data[i] = message(i)
	}
	if e.context, err = openDevice(name); err != nil {
		return nil, err
	}
	if err := done("query_port", C.query_port(e.context, 1, &e.port)); err != nil {
		return nil, err
	}
	if e.pd, err = C.ibv_alloc_pd(e.context); e.pd == nil {
		return nil, fmt.Errorf("alloc_pd: %w", err)
	}
	if e.mr, err = C.reg_mr(e.pd, e.memory, 2*size, C.IBV_ACCESS_LOCAL_WRITE); e.mr == nil {
		return nil, fmt.Errorf("reg_mr: %w", err)
	}
	if e.cq, err = C.ibv_create_cq(e.context, 2, nil, nil, 0); e.cq == nil {
		return nil, fmt.Errorf("create_cq: %w", err)
	}
	attr := C.struct_ibv_qp_init_attr{send_cq: e.cq, recv_cq: e.cq, qp_type: C.IBV_QPT_RC}
	attr.cap.max_send_wr, attr.cap.max_recv_wr = 1, 1
	attr.cap.max_send_sge, attr.cap.max_recv_sge = 1, 1
	if e.qp, err = C.ibv_create_qp(e.pd, &attr); e.qp == nil {
		return nil, fmt.Errorf("create_qp: %w", err)
	}
	return e, nil
}

// connect posts the receive before the peer can send.
func (e *end) connect(peer *end) error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_INIT, port_num: 1}
	if err := done("modify_qp to INIT", C.ibv_modify_qp(e.qp, &attr,
		C.IBV_QP_STATE|C.IBV_QP_PKEY_INDEX|C.IBV_QP_PORT|C.IBV_QP_ACCESS_FLAGS)); err != nil {
		return err
	}
	if err := done("post_recv", C.post_recv(e.qp, 1, unsafe.Add(e.memory, size), size, e.mr.lkey)); err != nil {
		return err
	}
	attr.qp_state = C.IBV_QPS_RTR
	attr.path_mtu = e.port.active_mtu
	attr.dest_qp_num = peer.qp.qp_num
	attr.max_dest_rd_atomic = 1
	attr.min_rnr_timer = 12
	attr.ah_attr.dlid = peer.port.lid
	attr.ah_attr.port_num = 1
	if err := done("modify_qp to RTR", C.ibv_modify_qp(e.qp, &attr,
		C.IBV_QP_STATE|C.IBV_QP_AV|C.IBV_QP_PATH_MTU|C.IBV_QP_DEST_QPN|C.IBV_QP_RQ_PSN|
			C.IBV_QP_MAX_DEST_RD_ATOMIC|C.IBV_QP_MIN_RNR_TIMER)); err != nil {
		return err
	}
	attr.qp_state = C.IBV_QPS_RTS
	attr.timeout = 14
	attr.retry_cnt = 7
	attr.rnr_retry = 6
	attr.max_rd_atomic = 1
	return done("modify_qp to RTS", C.ibv_modify_qp(e.qp, &attr,
		C.IBV_QP_STATE|C.IBV_QP_TIMEOUT|C.IBV_QP_RETRY_CNT|C.IBV_QP_RNR_RETRY|C.IBV_QP_SQ_PSN|
			C.IBV_QP_MAX_QP_RD_ATOMIC))
}

func (e *end) send() error {
	return done("post_send", C.post_send(e.qp, 2, e.memory, size, e.mr.lkey))
}

// wait takes the completions of the send and of the receive, and fails if one does not come in time.
func (e *end) wait() error {
	var wc C.struct_ibv_wc
	until := time.Now().Add(wait)
	for got := 0; got < 2; {
		n := C.ibv_poll_cq(e.cq, 1, &wc)
		if n < 0 {
			return errors.New("poll_cq failed")
		}
		if n == 0 && time.Now().After(until) {
			return errors.New("poll_cq: a completion did not come")
		}
		if n == 1 && wc.status != C.IBV_WC_SUCCESS {
			return fmt.Errorf("wr_id %d: %s", wc.wr_id, C.GoString(C.ibv_wc_status_str(wc.status)))
		}
		got += int(n)
	}
	return nil
}

func (e *end) received(peer *end) bool {
	return bytes.Equal(e.data[size:], peer.data[:size])
}

func (e *end) close() error {
	for _, err := range []error{
		done("destroy_qp", C.ibv_destroy_qp(e.qp)),
		done("destroy_cq", C.ibv_destroy_cq(e.cq)),
		done("dereg_mr", C.ibv_dereg_mr(e.mr)),
		done("dealloc_pd", C.ibv_dealloc_pd(e.pd)),
		done("close_device", C.ibv_close_device(e.context)),
	} {
		if err != nil {
			return err
		}
	}
	C.free(e.memory)
	return nil
}

// transfer reports whether both messages arrived unchanged.
func transfer() (bool, error) {
	a, err := newEnd("glass0", func(i int) byte { return byte(7*i + i/256) })
	if err != nil {
		return false, err
	}
	b, err := newEnd("glass1", func(i int) byte { return ^byte(7*i + i/256) })
	if err != nil {
		return false, err
	}
	for _, step := range []func() error{
		func() error { return a.connect(b) },
		func() error { return b.connect(a) },
		a.send, b.send, a.wait, b.wait,
	} {
		if err := step(); err != nil {
			return false, err
		}
	}
	right := a.received(b) && b.received(a)
	for _, e := range []*end{a, b} {
		if err := e.close(); err != nil {
			return false, err
		}
	}
	return right, nil
}

func main() {
	right, err := transfer()
	if err != nil {
		fmt.Fprintln(os.Stderr, "transfer:", err)
		os.Exit(1)
	}
	if !right {
		fmt.Fprintln(os.Stderr, "transfer: the data is wrong")
		os.Exit(9)
	}
	fmt.Println("transfer:", size, "bytes each way")
}
