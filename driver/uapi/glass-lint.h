/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint: the mistakes of programs that it reports (codes), and behaviours of the adapter that a user
 * can switch on, as tables. The driver, iblint and the documentation take codes and texts from the
 * tables. docs/lint-abi.md describes the files in debugfs.
 */
#ifndef GLASS_UAPI_LINT_H
#define GLASS_UAPI_LINT_H

/* X(NAME, word, value) */
#define GLASS_LINT_SEVERITIES(X)								   \
	X(ERROR, error, 0) /* undefined, or fatal on some adapter */				   \
	X(WARNING, warning, 1)									   \
	X(PORTABILITY, portability, 2)								   \
	X(SPEED, speed, 3)									   \
	X(LEAK, leak, 4)									   \
	X(SECURITY, security, 5)

/*
 * Codes: X(NAME, word, number, SEVERITY, DEFAULT, title, advice, found, kinds). Sources write
 * GLASS_LINT_NAME; users see GL001 for number 1. The number of a code never changes: new codes come
 * at the end. DEFAULT: ON (a scope that names no codes has this code), or COSTLY (a scope has it
 * only if it names it). title: the mistake of the program. advice: what to do instead. found: the
 * conditions that lint checks, with "P:" if the provider checks at least one of them; empty if no
 * check can tell the mistake from correct use. kinds: the kinds of objects that findings of the
 * code name.
 */
#define GLASS_LINT_CODES(X)									   \
	X(CQ_TOO_SMALL, cq_too_small, 1, WARNING, ON,						   \
	  "CQ is smaller than the queues that complete into it",				   \
	  "Make the CQ as large as the sum of max_send_wr and max_recv_wr of all queues attached.",\
	  "create_qp: the queues attached to a CQ can create twice as many completions as "	   \
	  "it holds, or more (CQs below 10 are not checked); or it overran",			   \
	  "cq")											   \
	X(SLOW_POLLING, slow_polling, 2, WARNING, ON,						   \
	  "CQ is nearly full",									   \
	  "Poll more often or make the CQ larger: an overrun ends the CQ and all of its QPs.",	   \
	  "90 % of a CQ is used, and the attached queues can create more completions than "	   \
	  "it holds; CQs below 10 are not checked",						   \
	  "cq")											   \
	X(NEVER_SIGNALED, never_signaled, 3, ERROR, ON,						   \
	  "send queue is full and no send in it is signaled",					   \
	  "Signal at least one send in max_send_wr and poll its completion: slots are freed by it.",\
	  "P: post_send finds the queue full, and no request in it is signaled",		   \
	  "qp")											   \
	X(POST_NO_ROOM, post_no_room, 4, WARNING, ON,						   \
	  "post goes beyond a limit of the queue",						   \
	  "Stay within the capabilities that create_qp or create_srq gave back, or ask for more.", \
	  "P: a post has too many SGEs, or finds the queue full",				   \
	  "qp srq")										   \
	X(INLINE_TOO_LONG, inline_too_long, 5, ERROR, ON,					   \
	  "inline data is longer than max_inline_data",						   \
	  "Ask for it by cap.max_inline_data of create_qp, and look at what it gave back.",	   \
	  "P: inline data are longer than max_inline_data",					   \
	  "qp")											   \
	X(CREATE_QP_INVALID, create_qp_invalid, 6, ERROR, ON,					   \
	  "create_qp got an invalid value",							   \
	  "Ask query_device for the limits before create_qp.",					   \
	  "create_qp fails: the field and the limit",						   \
	  "pd")											   \
	X(ROUNDED_UP_CAPS, rounded_up_caps, 7, PORTABILITY, ON,					   \
	  "relies on a queue that is larger than asked for",					   \
	  "Use no more than was asked for: not every adapter rounds up to a power of two.",	   \
	  "P: inline data on a QP that asked for none; or a queue that is full at the "		   \
	  "requested size, and this size is not a power of two",				   \
	  "qp srq")										   \
	X(LATE_FIRST_RECV, late_first_recv, 8, WARNING, ON,					   \
	  "message came before the first receive was posted",					   \
	  "Post receives in INIT, before RTR: the peer may send as soon as the QP is in RTR.",	   \
	  "a message arrives at a QP that never had a receive",					   \
	  "qp")											   \
	X(ENDLESS_RNR, endless_rnr, 9, PORTABILITY, ON,						   \
	  "sender waits without end for a receive",						   \
	  "Post a receive, or set rnr_retry below 7 so that the wait ends with an error.",	   \
	  "an RNR NAK with rnr_retry 7, one second after the first for that message",		   \
	  "qp")											   \
	X(NO_RETRIES, no_retries, 10, WARNING, ON,						   \
	  "rnr_retry or retry_cnt is 0",							   \
	  "Use retry_cnt 7 and an rnr_retry above 0: one lost packet or late receive kills the QP.",\
	  "retry_cnt 0 in modify_qp; rnr_retry 0 when an RNR NAK comes",			   \
	  "qp")											   \
	X(NO_TIMEOUT, no_timeout, 11, WARNING, ON,						   \
	  "local ACK timeout is 0",								   \
	  "Set timeout (14 is 67 ms): with 0 a lost packet is never sent again.",		   \
	  "timeout 0 in modify_qp",								   \
	  "qp")											   \
	X(RECV_TOO_SHORT, recv_too_short, 12, ERROR, ON,					   \
	  "receive is too short for the message",						   \
	  "Post receives for the longest message that the peer may send.",			   \
	  "a message does not fit its receive",							   \
	  "qp")											   \
	X(NO_ROOM_FOR_GRH, no_room_for_grh, 13, ERROR, ON,					   \
	  "UD receive has no room for the 40 bytes of the GRH",					   \
	  "Add 40 bytes to each UD receive: data begin behind them, with or without a GRH.",	   \
	  "P: a UD receive of less than 40 bytes is posted; a datagram fits without the "	   \
	  "40 bytes, and does not fit with them",						   \
	  "qp")											   \
	X(UD_TOO_LONG, ud_too_long, 14, ERROR, ON,						   \
	  "UD message is longer than the path MTU",						   \
	  "Cut it into messages of at most the port's active MTU: UD never segments.",		   \
	  "a UD send longer than the MTU",							   \
	  "qp")											   \
	X(WRITE_IMM_NO_RECV, write_imm_no_recv, 15, ERROR, ON,					   \
	  "RDMA WRITE with immediate data found no receive",					   \
	  "Post a receive for each: immediate data consume one, although the data do not go there.",\
	  "an RDMA WRITE with immediate data finds no receive: none was ever posted, or none "	   \
	  "for 0.3 s",										   \
	  "qp")											   \
	X(AH_DESTROYED_IN_USE, ah_destroyed_in_use, 16, ERROR, ON,				   \
	  "address handle was destroyed with sends in flight",					   \
	  "Wait for the completions of all sends that use it.",					   \
	  "P: destroy_ah before the program polled the completion of the last send with "	   \
	  "it; for an unsignaled send: before the adapter took the send from the queue",	   \
	  "ah")											   \
	X(AH_FOR_EACH_SEND, ah_for_each_send, 17, SPEED, ON,					   \
	  "creates an address handle for each send",						   \
	  "Keep address handles and use them again: each costs a system call.",			   \
	  "P: 16 address handles in a row are destroyed after one send each",			   \
	  "ucontext")										   \
	X(AH_OTHER_PD, ah_other_pd, 18, ERROR, ON,						   \
	  "address handle is of another protection domain than the QP",				   \
	  "Create the address handle in the QP's protection domain.",				   \
	  "a send names an address handle of another PD; P: with `ah_pd_errno`, such a post",	   \
	  "qp")											   \
	X(MR_OTHER_PD, mr_other_pd, 19, ERROR, ON,						   \
	  "memory region is of another protection domain than the QP",				   \
	  "Register the memory in the protection domain of the QP that uses it.",		   \
	  "a key is of another PD than the QP",							   \
	  "qp")											   \
	X(LKEY_AS_RKEY, lkey_as_rkey, 20, ERROR, ON,						   \
	  "an lkey was used as remote key",							   \
	  "Send the peer mr->rkey and register with the remote access that it needs.",		   \
	  "an lkey is used as remote key (the two differ in one bit, so that the driver "	   \
	  "can detect this), an rkey as local key, or a key of the sender's own region as "	   \
	  "remote key",										   \
	  "qp")											   \
	X(STALE_KEY, stale_key, 21, ERROR, ON,							   \
	  "key of a memory region that was deregistered",					   \
	  "Deregister only after the last work request that names it, here or at the peer.",	   \
	  "a key of a deregistered region (the driver remembers the last 512), or an "		   \
	  "invalid lkey",									   \
	  "qp")											   \
	X(REMOTE_ACCESS_DENIED, remote_access_denied, 22, ERROR, ON,				   \
	  "remote access was refused",								   \
	  "Allow it in both places: access flags of the MR and qp_access_flags of the QP.",	   \
	  "qp_access_flags or the MR refuse the access, or the rkey does not exist",		   \
	  "qp")											   \
	X(REMOTE_WITHOUT_LOCAL, remote_without_local, 23, ERROR, ON,				   \
	  "remote write or atomic without LOCAL_WRITE",						   \
	  "Add IBV_ACCESS_LOCAL_WRITE: remote write and atomic access require it.",		   \
	  "P: reg_mr fails because remote write or atomic access is requested without "		   \
	  "LOCAL_WRITE",									   \
	  "pd")											   \
	X(SINK_NOT_WRITABLE, sink_not_writable, 24, ERROR, ON,					   \
	  "local write to memory without LOCAL_WRITE",						   \
	  "Register the buffer of a READ, an atomic or a receive with IBV_ACCESS_LOCAL_WRITE.",	   \
	  "a local write into a region without LOCAL_WRITE",					   \
	  "qp")											   \
	X(OUTSIDE_MR, outside_mr, 25, ERROR, ON,						   \
	  "access goes beyond the memory region",						   \
	  "Keep address and length within what was registered.",				   \
	  "an access outside of the region",							   \
	  "qp")											   \
	X(ZERO_LENGTH_SGE, zero_length_sge, 26, PORTABILITY, ON,				   \
	  "SGE of length 0",									   \
	  "Leave it out (num_sge 0 is an empty message): some adapters read length 0 as 2^31.",	   \
	  "P: an SGE of length 0 that is not inline",						   \
	  "qp srq")										   \
	X(ATOMIC_ALIGNMENT, atomic_alignment, 27, ERROR, ON,					   \
	  "atomic is not of 8 bytes, or not aligned to 8",					   \
	  "Align the remote address to 8 and give one SGE of 8 bytes.",				   \
	  "an atomic that is misaligned, or whose buffer does not have 8 bytes",		   \
	  "qp")											   \
	X(TOO_MANY_RD_ATOMIC, too_many_rd_atomic, 28, ERROR, ON,				   \
	  "more READs or atomics than the peer can take",					   \
	  "Make max_rd_atomic no larger than the peer's max_dest_rd_atomic, and both above 0.",	   \
	  "the responder has no room for a READ or atomic; or one is posted with "		   \
	  "max_rd_atomic 0",									   \
	  "qp")											   \
	X(MODIFY_QP_MASK, modify_qp_mask, 29, ERROR, ON,					   \
	  "modify_qp with a wrong attribute mask",						   \
	  "Give exactly the mask bits that the transition asks for.",				   \
	  "modify_qp fails because of its mask or transition; the finding names the bit",	   \
	  "qp")											   \
	X(PSN_TOO_WIDE, psn_too_wide, 30, ERROR, ON,						   \
	  "PSN has more than 24 bits",								   \
	  "Mask it with 0xffffff: not every adapter cuts off the higher bits.",			   \
	  "P: modify_qp with a PSN of more than 24 bits, which the kernel cuts to 24",		   \
	  "qp")											   \
	X(PSN_MISMATCH, psn_mismatch, 31, ERROR, ON,						   \
	  "PSNs of the two sides do not agree",							   \
	  "Set sq_psn to the peer's rq_psn, and rq_psn to the peer's sq_psn.",			   \
	  "the first packet has another PSN than expected, and the peer's sq_psn confirms "	   \
	  "the mismatch",									   \
	  "qp")											   \
	X(WRONG_PEER, wrong_peer, 32, ERROR, ON,						   \
	  "connected to a QP that is not connected back",					   \
	  "Exchange QPN and LID of both sides, and set dest_qp_num and dlid to the peer's.",	   \
	  "modify_qp to RTR or RTS, and the peer is connected to another QP; a packet "		   \
	  "from another LID; a request to a QPN that never existed",				   \
	  "qp")											   \
	X(GRH_NEEDED, grh_needed, 33, ERROR, ON,						   \
	  "address without a GRH that is needed, or with a bad GID index",			   \
	  "Set is_global, dgid and a sgid_index whose GID the port has.",			   \
	  "P: modify_qp or create_ah fails, and its GID index is bad; a packet is dropped "	   \
	  "because of its GRH",									   \
	  "qp pd")										   \
	X(MTU_MISMATCH, mtu_mismatch, 34, ERROR, ON,						   \
	  "path MTUs of the two sides do not agree",						   \
	  "Set the same path_mtu on both sides, at most the active MTU of both ports.",		   \
	  "modify_qp to RTR or RTS, and the peer has another path MTU; or a packet is "		   \
	  "dropped because of that",								   \
	  "qp")											   \
	X(KEY_MISMATCH, key_mismatch, 35, ERROR, ON,						   \
	  "packet dropped for its P_Key or Q_Key",						   \
	  "Use the same Q_Key on both sides, and P_Keys of one partition, one of them full member.",\
	  "a packet is dropped because of its P_Key or Q_Key",					   \
	  "qp")											   \
	X(POST_WRONG_STATE, post_wrong_state, 36, ERROR, ON,					   \
	  "posted in a state where that is not allowed",					   \
	  "Post receives from INIT on, sends from RTS on.",					   \
	  "P: a post in a state that does not allow it",					   \
	  "qp")											   \
	X(RECV_WITH_SRQ, recv_with_srq, 37, ERROR, ON,						   \
	  "post_recv on a QP that has an SRQ",							   \
	  "Use ibv_post_srq_recv.",								   \
	  "P: post_recv on a QP that has an SRQ",						   \
	  "qp")											   \
	X(RESET_LOSES_CQES, reset_loses_cqes, 38, WARNING, ON,					   \
	  "QP was reset with completions left in its CQ",					   \
	  "Poll all completions before RESET: they are lost.",					   \
	  "P: completions are in the CQs when the QP goes to RESET",				   \
	  "qp")											   \
	X(DESTROYED_UNDRAINED, destroyed_undrained, 39, WARNING, ON,				   \
	  "QP was destroyed with work requests outstanding",					   \
	  "Move it to ERR, poll until all are flushed, then destroy it.",			   \
	  "P: destroy_qp in RTS or SQD with a signaled send whose completion the program "	   \
	  "has not polled",									   \
	  "qp")											   \
	X(BUFFER_CHANGED, buffer_changed, 40, ERROR, COSTLY,					   \
	  "buffer was changed before its send completed",					   \
	  "Leave the buffer alone until the completion was polled.",				   \
	  "P, costly: the checksum of a send's buffers has changed when its completion is "	   \
	  "polled",										   \
	  "qp")											   \
	X(MEMORY_UNMAPPED, memory_unmapped, 41, ERROR, COSTLY,					   \
	  "memory was unmapped while work requests used it",					   \
	  "Free memory after the last completion, and deregister it before.",			   \
	  "P, costly: the buffers of a send are not mapped when its completion is polled; or "	   \
	  "the memory of a region is not mapped when it is deregistered",			   \
	  "qp mr")										   \
	X(UNDEFINED_WC_FIELDS, undefined_wc_fields, 42, PORTABILITY, ON,			   \
	  "reads fields of an error completion that are undefined",				   \
	  "Only wr_id, status, qp_num and vendor_err hold when status is not IBV_WC_SUCCESS.",	   \
	  "",											   \
	  "")											   \
	X(POSTS_IN_ERR, posts_in_err, 43, WARNING, ON,						   \
	  "keeps posting to a QP in the error state",						   \
	  "Look at the first completion that failed, then reset the QP or make a new one.",	   \
	  "the program posts a second send after it polled a completion with an error",		   \
	  "qp")											   \
	X(ARM_WITHOUT_POLL, arm_without_poll, 44, ERROR, ON,					   \
	  "CQ armed with completions in it, and not polled again",				   \
	  "Poll, arm, and poll once more before waiting for the event.",			   \
	  "a CQ was armed with completions in it, and the program did not poll for 0.2 s",	   \
	  "cq")											   \
	X(EVENTS_UNACKED, events_unacked, 45, LEAK, ON,						   \
	  "events were got and never acknowledged",						   \
	  "Acknowledge each by ibv_ack_cq_events or ibv_ack_async_event: destroy waits for it.",   \
	  "P: destroy_cq, destroy_qp or destroy_srq waits longer than 60 ms",			   \
	  "cq qp srq")										   \
	X(ASYNC_UNREAD, async_unread, 46, WARNING, ON,						   \
	  "asynchronous events were not read",							   \
	  "Read ibv_get_async_event, best in a thread of its own.",				   \
	  "P: close or destroy_qp with unread events, and an object failed, or four "		   \
	  "SQ_DRAINED or SRQ_LIMIT_REACHED were raised",					   \
	  "ucontext")										   \
	X(SRQ_LIMIT_NOT_REARMED, srq_limit_not_rearmed, 47, WARNING, ON,			   \
	  "SRQ runs dry and its limit is not armed",						   \
	  "Arm it again by ibv_modify_srq after each SRQ_LIMIT_REACHED: it is one-shot.",	   \
	  "an SRQ is empty, its limit was reached and not armed again, although receives "	   \
	  "were posted since (or for 0.2 s)",							   \
	  "srq")										   \
	X(SRQ_FIFO, srq_fifo, 48, PORTABILITY, ON,						   \
	  "assumes that an SRQ is used in order",						   \
	  "Find the receive by its wr_id.",							   \
	  "",											   \
	  "")											   \
	X(QPN_REUSE, qpn_reuse, 49, PORTABILITY, ON,						   \
	  "assumes that a QPN is not used again",						   \
	  "Drain a QP before it is destroyed: late completions and packets may name the new one.", \
	  "",											   \
	  "")											   \
	X(FORK_WITH_MRS, fork_with_mrs, 50, PORTABILITY, ON,					   \
	  "fork with memory registered",							   \
	  "Call ibv_fork_init first and keep registered memory in pages of its own.",		   \
	  "P: fork with registered memory, and neither the program nor its libraries call "	   \
	  "ibv_fork_init",									   \
	  "ucontext")										   \
	X(MEMLOCK_LIMIT, memlock_limit, 51, ERROR, ON,						   \
	  "reg_mr failed for RLIMIT_MEMLOCK",							   \
	  "Raise it: ulimit -l unlimited, or LimitMEMLOCK=infinity of the service.",		   \
	  "reg_mr fails because of RLIMIT_MEMLOCK",						   \
	  "pd")											   \
	X(REG_FOR_EACH_MESSAGE, reg_for_each_message, 52, SPEED, ON,				   \
	  "registers memory for each message",							   \
	  "Register once and use it again: registration costs more than the message.",		   \
	  "P: 16 regions in a row are deregistered after one send each",			   \
	  "ucontext")										   \
	X(POLLS_MEMORY, polls_memory, 53, PORTABILITY, ON,					   \
	  "polls memory for the last byte of an RDMA WRITE",					   \
	  "Wait for a completion (WRITE with immediate data, or a SEND behind it).",		   \
	  "",											   \
	  "")											   \
	X(BYTE_ORDER, byte_order, 54, ERROR, ON,						   \
	  "address or key with the wrong byte order, or cut to 32 bits",			   \
	  "Send addresses as 64 bits (htobe64) and keys as 32 (htobe32).",			   \
	  "a key or address that fits when its bytes are swapped; an address that was cut "	   \
	  "to 32 bits",										   \
	  "qp")											   \
	X(IGNORES_BAD_WR, ignores_bad_wr, 55, ERROR, ON,					   \
	  "work requests before bad_wr were posted again",					   \
	  "Go on at bad_wr: those before it are in the queue.",					   \
	  "P: a list of work requests begins like the last refused list, although the first "	   \
	  "requests of that list were accepted",						   \
	  "qp srq")										   \
	X(SOLICITED_NEVER_SENT, solicited_never_sent, 56, WARNING, ON,				   \
	  "armed for solicited events, and the sender sets none",				   \
	  "Set IBV_SEND_SOLICITED at the sender, or arm for every completion.",			   \
	  "a CQ was armed for solicited completions; 0.2 s later it has other "			   \
	  "completions, and the program did not poll",						   \
	  "cq")											   \
	X(LEFT_AT_CLOSE, left_at_close, 57, LEAK, ON,						   \
	  "objects were left when the context was closed",					   \
	  "Destroy what was created, in reverse order.",					   \
	  "a context closes with objects left; not when a signal ended the process",		   \
	  "ucontext")										   \
	X(PORT_NOT_ACTIVE, port_not_active, 58, WARNING, ON,					   \
	  "QP goes to RTR on a port that is not ACTIVE",					   \
	  "Start a subnet manager (opensm -g GUID, or -B in the background) and wait for ACTIVE.", \
	  "modify_qp to RTR on a port that is not ACTIVE",					   \
	  "qp")											   \
	X(WHOLE_HEAP, whole_heap, 59, SECURITY, ON,						   \
	  "remote access to more memory than a peer should need",				   \
	  "Register for remote access only the buffer that the peer needs.",			   \
	  "remote access to 1 GiB or more, or to all of the heap",				   \
	  "pd")											   \
	X(CONTROLLED_QKEY, controlled_qkey, 60, SECURITY, ON,					   \
	  "Q_Key with the high bit from an unprivileged program",				   \
	  "Use a Q_Key below 0x80000000: those above are privileged.",				   \
	  "P: modify_qp fails with EPERM because of its Q_Key",					   \
	  "qp")											   \
	X(WINDOW_KEY_INDEX, window_key_index, 61, PORTABILITY, ON,				   \
	  "memory window bound with the index of another R_Key",				   \
	  "Change only the low 8 bits of mw->rkey (ibv_inc_rkey): the upper 24 are the adapter's.",\
	  "a window of type 2 is bound, and the upper 24 bits of the R_Key in the work "	   \
	  "request differ from the window's",							   \
	  "qp")											   \
	X(USER_SHARE, user_share, 62, ERROR, ON,						   \
	  "asked for more than the user's share",						   \
	  "Ask for less, or free what is not used; user_memory_percent of the module is the share of memory.",\
	  "a verb fails because the user's share is used up ([verbs.md](verbs.md)); the "	   \
	  "finding names the resource, the usage and the limit",				   \
	  "device")

/*
 * Behaviours: X(NAME, word, KIND, clause, meaning). Each has a file behavior/<word> that holds 0 or
 * 1. STRICT: where the specification allows several behaviours, the adapter shows a less usual one,
 * so that a program that relies on the usual one fails. LENIENT: the adapter accepts a violation
 * that other adapters accept, too.
 */
#define GLASS_BEHAVIORS(X)									   \
	X(SRQ_SHUFFLE, srq_shuffle, STRICT, "IBA 10.2.9",						   \
	  "receives of an SRQ are used in a random order")					   \
	X(QPN_REUSE, qpn_reuse, STRICT, "IBA 10.2.4",							   \
	  "a new QP gets the lowest free QPN, even one just freed")				   \
	X(POISON_ERRORS, poison_errors, STRICT, "IBA 11.4.2.1; ibv_poll_cq(3)",				   \
	  "undefined fields of an error completion are filled with rubbish")			   \
	X(LATE_COMPLETIONS, late_completions, STRICT, "IBA 10.8.5",				   \
	  "send completions come up to 5 ms after the message arrived")				   \
	X(WRITE_REORDER, write_reorder, STRICT, "IBA 9.5, o9-20",				   \
	  "bytes of an RDMA WRITE are placed in a random order, the last ones not last")		   \
	X(RELAXED_INVALIDATION, relaxed_invalidation, STRICT, "IBA 11.2.8",				   \
	  "keys of a deregistered region stay good for some milliseconds")	   \
	X(AH_PD_ERRNO, ah_pd_errno, STRICT, "IBA C10-10",					   \
	  "an address handle of another PD is refused when posted, not in the completion")	   \
	X(IMM_ACCESS_EVENT, imm_access_event, STRICT, "IBA 9.9.3",				   \
	  "a refused RDMA WRITE with immediate data raises an event, and its receive is flushed")  \
	X(ZERO_SGE_MAX, zero_sge_max, STRICT, "IBA 11.4.1.1",				   \
	  "an SGE of length 0 means 2^31 bytes")						   \
	X(POST_ANY_STATE, post_any_state, STRICT, "IBA 10.3.1",					   \
	  "sends may be posted in INIT and RTR, and wait for RTS")				   \
	X(EQUAL_KEYS, equal_keys, LENIENT, "IBA 10.6.3",					   \
	  "lkey and rkey of a region are accepted in place of each other; GL020 is still reported")

#define GLASS_LINT_E_SEVERITY(n, w, v) GLASS_LINT_##n = (v),
enum glass_lint_severity { GLASS_LINT_SEVERITIES(GLASS_LINT_E_SEVERITY) GLASS_LINT_SEVERITY_COUNT };

#define GLASS_LINT_E_CODE(n, w, number, severity, on, title, advice, found, kinds)		   \
	GLASS_LINT_##n = (number),
enum glass_lint_number {
	GLASS_LINT_NONE = 0,
	GLASS_LINT_CODES(GLASS_LINT_E_CODE) GLASS_LINT_END,
	GLASS_LINT_COUNT = GLASS_LINT_END - 1, /* the highest number */
};

#define GLASS_LINT_E_BEHAVIOR(n, w, kind, clause, meaning) GLASS_BEHAVIOR_##n,
enum glass_behavior { GLASS_BEHAVIORS(GLASS_LINT_E_BEHAVIOR) GLASS_BEHAVIOR_COUNT };

/* lint/findings has one finding on each line: X(name, unit, meaning), as in glass-columns.h */
#define GLASS_COLUMNS_LINT(X)									   \
	X(id, num, "number of the finding, from 1, never reused")				   \
	X(code, word, "GL and the three digits of its number, as GL001")			   \
	X(severity, word, "error warning portability speed leak security")			   \
	X(kind, word, "kind of the object it is about: qp cq mr ...; device: none in particular")  \
	X(num, num, "number of that object, as in its table")					   \
	X(pid, num, "process that did it")							   \
	X(comm, text, "name of that process")							   \
	X(peer, ref, "the other side as device:qpn, when it is on this machine and involved")	   \
	X(peer_pid, num, "its process")								   \
	X(peer_comm, text, "name of that process")						   \
	X(count, num, "how often it was seen")							   \
	X(first, ns, "when it was first seen, CLOCK_MONOTONIC")					   \
	X(last, ns, "when it was last seen")							   \
	X(seen, num, "the value that was seen the first time")					   \
	X(expected, num, "the value that would have been right, or the limit")			   \
	X(text, text, "what happened the first time, in a sentence with the values")		   \
	X(scopes, text, "ids of the scopes that held for the process when it was last seen, the eight newest, joined by ':'")

/* lint/codes has one code on each line */
#define GLASS_COLUMNS_CODES(X)									   \
	X(code, word, "GL and the three digits of its number, as GL001")			   \
	X(severity, word, "error warning portability speed leak security")			   \
	X(default, word, "on, or costly: checked only when a scope names it")			   \
	X(enabled, word, "yes: a scope names it now")						   \
	X(muted, word, "yes: a mute covers the whole code")					   \
	X(count, num, "how often it was seen on the adapter since the last clear, muted or not")   \
	X(word, word, "its short name")								   \
	X(title, text, "what the program did")

#endif
