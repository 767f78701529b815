/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tables of lint. GLASS_LINT_CODES has a code for each mistake of a program that lint reports.
 * GLASS_BEHAVIORS has the behaviours of the adapter that a user can switch on. The driver, iblint
 * and the documentation take codes and texts from the tables. docs/lint-abi.md describes the files
 * in debugfs.
 */
#ifndef GLASS_UAPI_LINT_H
#define GLASS_UAPI_LINT_H

/* X(NAME, word, value) */
#define GLASS_LINT_SEVERITIES(X)								   \
	X(ERROR, error, 0) /* undefined, or fails on some adapters */				   \
	X(WARNING, warning, 1)									   \
	X(PORTABILITY, portability, 2)								   \
	X(SPEED, speed, 3)									   \
	X(LEAK, leak, 4)									   \
	X(SECURITY, security, 5)

/*
 * Codes: X(NAME, word, number, SEVERITY, DEFAULT, title, advice, found, kinds). Sources write
 * GLASS_LINT_NAME; users see GL001 for number 1. The number of a code never changes, so new codes
 * are added at the end.
 *
 * DEFAULT  ON: a scope that names no codes includes this code. COSTLY: only a scope that names
 *          this code includes it.
 * title    the mistake of the program
 * advice   the correct way
 * found    the conditions that lint checks. The text begins with "P" if the provider checks at
 *          least one of them. The text is empty if no check can tell the mistake from correct use.
 * kinds    the kinds of objects that findings of the code name
 */
#define GLASS_LINT_CODES(X)									   \
	X(CQ_TOO_SMALL, cq_too_small, 1, WARNING, ON,						   \
	  "CQ is smaller than the queues that complete into it",				   \
	  "Make the CQ at least as large as the sum of max_send_wr and max_recv_wr of its queues.",\
	  "create_qp: the attached queues can create at least twice as many completions "	   \
	  "as the CQ has room for (checked if it has room for 10); or the CQ overran",		   \
	  "cq")											   \
	X(SLOW_POLLING, slow_polling, 2, WARNING, ON,						   \
	  "CQ is nearly full",									   \
	  "Poll more often or make the CQ larger: an overrun moves the CQ and all its QPs to error.",\
	  "a CQ with room for 10 or more completions is 90 % full, and the attached queues "	   \
	  "can create more completions than it has room for",						   \
	  "cq")											   \
	X(NEVER_SIGNALED, never_signaled, 3, ERROR, ON,						   \
	  "send queue is full, and none of its sends is signaled",				   \
	  "Signal at least one send of every max_send_wr, and poll its completion: this "	   \
	  "frees slots.",									   \
	  "P: post_send finds the queue full, and none of its sends is signaled",		   \
	  "qp")											   \
	X(POST_NO_ROOM, post_no_room, 4, WARNING, ON,						   \
	  "post exceeds a limit of the queue",							   \
	  "Stay within the limits that create_qp or create_srq returned, or request larger ones.", \
	  "P: a post has too many SGEs, or finds the queue full",				   \
	  "qp srq")										   \
	X(INLINE_TOO_LONG, inline_too_long, 5, ERROR, ON,					   \
	  "inline data is longer than max_inline_data",						   \
	  "Request the length in cap.max_inline_data of create_qp, and use the value it returns.", \
	  "P: the inline data of a send is longer than max_inline_data",			   \
	  "qp")											   \
	X(CREATE_QP_INVALID, create_qp_invalid, 6, ERROR, ON,					   \
	  "create_qp got an invalid value",							   \
	  "Call query_device first, and stay within the limits that it returns.",		   \
	  "create_qp fails because of a capability, type or flag; the finding names it",	   \
	  "pd")											   \
	X(ROUNDED_UP_CAPS, rounded_up_caps, 7, PORTABILITY, ON,					   \
	  "relies on a queue that is larger than requested",					   \
	  "Use no more than you requested: not every adapter rounds up to a power of two.",	   \
	  "P: inline data is posted to a QP that requested none; or a post finds the "		   \
	  "queue full, and the requested size is not a power of two",				   \
	  "qp srq")										   \
	X(LATE_FIRST_RECV, late_first_recv, 8, WARNING, ON,					   \
	  "message arrived before the first receive was posted",				   \
	  "Post receives in INIT, before RTR: the peer may send as soon as the QP is in RTR.",	   \
	  "a message arrives at a QP to which no receive was ever posted",			   \
	  "qp")											   \
	X(ENDLESS_RNR, endless_rnr, 9, PORTABILITY, ON,						   \
	  "sender waits without end for a receive",						   \
	  "Post a receive at the peer, or set rnr_retry below 7: then the wait ends with an error.",\
	  "rnr_retry is 7, and an RNR NAK comes more than 1 s after the first one for the "	   \
	  "same message",									   \
	  "qp")											   \
	X(NO_RETRIES, no_retries, 10, WARNING, ON,						   \
	  "rnr_retry or retry_cnt is 0",							   \
	  "Use retry_cnt 7 and rnr_retry 1 or more. With 0, one lost packet or late "		   \
	  "receive fails the QP.",								   \
	  "modify_qp sets retry_cnt to 0; or an RNR NAK arrives while rnr_retry is 0",		   \
	  "qp")											   \
	X(NO_TIMEOUT, no_timeout, 11, WARNING, ON,						   \
	  "local ACK timeout is 0",								   \
	  "Set timeout to 1 or more (14 is 67 ms). With 0, a lost packet is never retransmitted.", \
	  "modify_qp sets timeout to 0",							   \
	  "qp")											   \
	X(RECV_TOO_SHORT, recv_too_short, 12, ERROR, ON,					   \
	  "receive is too short for the message",						   \
	  "Post receives for the longest message that the peer may send.",			   \
	  "a message is longer than the receive that it takes",					   \
	  "qp")											   \
	X(NO_ROOM_FOR_GRH, no_room_for_grh, 13, ERROR, ON,					   \
	  "UD receive has no room for the 40 bytes of the GRH",					   \
	  "Make each UD receive 40 bytes longer: the data begins at byte 40, with or without a GRH.",\
	  "P: a UD receive of less than 40 bytes is posted; or a receive has room for the "	   \
	  "datagram, but not for 40 more bytes",						   \
	  "qp")											   \
	X(UD_TOO_LONG, ud_too_long, 14, ERROR, ON,						   \
	  "UD message is longer than the path MTU",						   \
	  "Split it into messages of at most the port's active MTU: UD does not segment messages.",\
	  "a UD send is longer than the MTU of its port",					   \
	  "qp")											   \
	X(WRITE_IMM_NO_RECV, write_imm_no_recv, 15, ERROR, ON,					   \
	  "RDMA WRITE with immediate data found no receive",					   \
	  "Post a receive for each such WRITE: it consumes one, although its payload goes "	   \
	  "elsewhere.",										   \
	  "an RDMA WRITE with immediate data finds no receive, and the queue never had "	   \
	  "one or the WRITE has waited for 0.3 s",						   \
	  "qp")											   \
	X(AH_DESTROYED_IN_USE, ah_destroyed_in_use, 16, ERROR, ON,				   \
	  "address handle was destroyed with sends in flight",					   \
	  "Destroy it only after the completion of every send that uses it.",			   \
	  "P: destroy_ah before the program polled the completion of the last send that "	   \
	  "uses the handle; if this send is unsignaled: before the adapter took it from "	   \
	  "the queue",										   \
	  "ah")											   \
	X(AH_FOR_EACH_SEND, ah_for_each_send, 17, SPEED, ON,					   \
	  "creates an address handle for each send",						   \
	  "Reuse address handles: the creation of each costs a system call.",			   \
	  "P: 16 address handles in a row are destroyed after one send each",			   \
	  "ucontext")										   \
	X(AH_OTHER_PD, ah_other_pd, 18, ERROR, ON,						   \
	  "address handle and QP are in different protection domains",				   \
	  "Create the address handle in the QP's protection domain.",				   \
	  "a send uses an address handle of another PD; P: while `ah_pd_errno` is on, "		   \
	  "such a send is posted",								   \
	  "qp")											   \
	X(MR_OTHER_PD, mr_other_pd, 19, ERROR, ON,						   \
	  "memory region and QP are in different protection domains",				   \
	  "Register the memory in the protection domain of the QP that uses it.",		   \
	  "an access uses a key of a region in another PD than the QP (for receives from "	   \
	  "an SRQ: than the SRQ)",								   \
	  "qp")											   \
	X(LKEY_AS_RKEY, lkey_as_rkey, 20, ERROR, ON,						   \
	  "an lkey was used as rkey, or an rkey as lkey",					   \
	  "Send mr->rkey to the peer, and use mr->lkey only in your own SGEs.",			   \
	  "an access uses an lkey as rkey, or an rkey as lkey (the driver makes the two "	   \
	  "differ in one bit to detect this); or its rkey is a key of the sender's own "	   \
	  "region",										   \
	  "qp")											   \
	X(STALE_KEY, stale_key, 21, ERROR, ON,							   \
	  "key of a deregistered memory region was used",					   \
	  "Deregister only after all work requests that use the region completed, here "	   \
	  "and at the peer.",									   \
	  "an access uses a key of a deregistered region (the driver remembers the last "	   \
	  "512 regions), or an lkey that no region has",					   \
	  "qp")											   \
	X(REMOTE_ACCESS_DENIED, remote_access_denied, 22, ERROR, ON,				   \
	  "remote access was refused",								   \
	  "Allow the access in two places: access flags of the MR, and qp_access_flags of the QP.",\
	  "qp_access_flags or the access flags of the MR do not allow the access, or no "	   \
	  "region has the rkey",								   \
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
	  "Keep address and length within the registered range.",				   \
	  "an access is not completely within its region",					   \
	  "qp")											   \
	X(ZERO_LENGTH_SGE, zero_length_sge, 26, PORTABILITY, ON,				   \
	  "SGE of length 0",									   \
	  "Leave the SGE out (num_sge 0 sends an empty message): some adapters read "		   \
	  "length 0 as 2^31.",									   \
	  "P: an SGE of length 0 is posted without inline",					   \
	  "qp srq")										   \
	X(ATOMIC_ALIGNMENT, atomic_alignment, 27, ERROR, ON,					   \
	  "atomic is not aligned to 8 bytes, or its buffer is not 8 bytes long",		   \
	  "Align the remote address to 8 bytes, and give one SGE of 8 bytes.",			   \
	  "the remote address of an atomic is not a multiple of 8, or its buffer is not 8 "	   \
	  "bytes long",										   \
	  "qp")											   \
	X(TOO_MANY_RD_ATOMIC, too_many_rd_atomic, 28, ERROR, ON,				   \
	  "more outstanding READs or atomics than the peer accepts",				   \
	  "Set max_rd_atomic to at least 1, and to at most the max_dest_rd_atomic of the peer.",   \
	  "the responder receives more READs and atomics at a time than its "			   \
	  "max_dest_rd_atomic; or a READ or atomic is posted while max_rd_atomic is 0",		   \
	  "qp")											   \
	X(MODIFY_QP_MASK, modify_qp_mask, 29, ERROR, ON,					   \
	  "modify_qp with a wrong attribute mask",						   \
	  "Set all mask bits that the transition requires, and no bit that it does not allow.",	   \
	  "modify_qp fails because of its transition, its mask or a value; the finding "	   \
	  "names the bit",									   \
	  "qp")											   \
	X(PSN_TOO_WIDE, psn_too_wide, 30, ERROR, ON,						   \
	  "PSN has more than 24 bits",								   \
	  "Mask it with 0xffffff: not every adapter ignores the higher bits.",			   \
	  "P: modify_qp sets a PSN of more than 24 bits, and the kernel uses the low 24",	   \
	  "qp")											   \
	X(PSN_MISMATCH, psn_mismatch, 31, ERROR, ON,						   \
	  "initial PSNs of the two sides differ",						   \
	  "Set sq_psn to the peer's rq_psn, and rq_psn to the peer's sq_psn.",			   \
	  "the first packet does not have the PSN rq_psn, and the sq_psn of the peer is "	   \
	  "not rq_psn either",									   \
	  "qp")											   \
	X(WRONG_PEER, wrong_peer, 32, ERROR, ON,						   \
	  "connected to a QP that is connected elsewhere",					   \
	  "Exchange QPN and LID, and set dest_qp_num and dlid to the values of the other side.",   \
	  "modify_qp to RTR or RTS while the peer is connected to another QP; a packet "	   \
	  "comes from another LID than the peer's; or a request goes to a QPN that never "	   \
	  "existed",										   \
	  "qp")											   \
	X(GRH_NEEDED, grh_needed, 33, ERROR, ON,						   \
	  "address lacks a required GRH, or has a bad GID index",				   \
	  "Set is_global, dgid, and the sgid_index of a GID that the port has.",		   \
	  "P: modify_qp or create_ah fails, and the port has no GID at this index, or, at an "	   \
	  "Ethernet port, there is no GRH, the GIDs are of IPv4 and IPv6, that of the peer is "	   \
	  "link-local, or only another network interface has a route to the peer; P: modify_qp "   \
	  "or create_ah with a link-local GID of the port and a peer behind a router; or a "	   \
	  "packet is dropped because it lacks a GRH or has an unexpected one",			   \
	  "qp pd")										   \
	X(MTU_MISMATCH, mtu_mismatch, 34, ERROR, ON,						   \
	  "path MTUs of the two sides differ",							   \
	  "Set the same path_mtu on both sides, not above the active MTU of either port.",	   \
	  "modify_qp to RTR or RTS while the peer has another path MTU, or, at an Ethernet "	   \
	  "port, with one above the active MTU; or a packet is dropped because the path MTUs "	   \
	  "differ",										   \
	  "qp")											   \
	X(KEY_MISMATCH, key_mismatch, 35, ERROR, ON,						   \
	  "packet was dropped because of its P_Key or Q_Key",					   \
	  "Use the same Q_Key. Use P_Keys of one partition, with at least one side a full member.",\
	  "a packet is dropped because of its P_Key or Q_Key",					   \
	  "qp")											   \
	X(POST_WRONG_STATE, post_wrong_state, 36, ERROR, ON,					   \
	  "post in a QP state that does not allow it",						   \
	  "Post receives in INIT or later, and sends in RTS or later.",				   \
	  "P: a work request is posted in a state that does not allow it",			   \
	  "qp")											   \
	X(RECV_WITH_SRQ, recv_with_srq, 37, ERROR, ON,						   \
	  "post_recv on a QP that has an SRQ",							   \
	  "Post the receive to the SRQ: ibv_post_srq_recv.",					   \
	  "P: post_recv on a QP that has an SRQ",						   \
	  "qp")											   \
	X(RESET_LOSES_CQES, reset_loses_cqes, 38, WARNING, ON,					   \
	  "QP was reset while completions were left in its CQ",					   \
	  "Poll all completions before the reset: RESET discards them.",			   \
	  "P: the QP goes to RESET while its CQs have completions of it",			   \
	  "qp")											   \
	X(DESTROYED_UNDRAINED, destroyed_undrained, 39, WARNING, ON,				   \
	  "QP was destroyed with work requests outstanding",					   \
	  "Move the QP to ERR, poll until all requests are flushed, then destroy it.",		   \
	  "P: destroy_qp in RTS or SQD with a signaled send whose completion the program "	   \
	  "has not polled",									   \
	  "qp")											   \
	X(BUFFER_CHANGED, buffer_changed, 40, ERROR, COSTLY,					   \
	  "buffer was changed before its send completed",					   \
	  "Do not change the buffer before you have polled the completion of the send.",	   \
	  "P, costly: when the completion of a send is polled, the checksum of its "		   \
	  "buffers has changed",								   \
	  "qp")											   \
	X(MEMORY_UNMAPPED, memory_unmapped, 41, ERROR, COSTLY,					   \
	  "memory was unmapped while work requests used it",					   \
	  "First wait for the last completion, then deregister the memory, then free it.",	   \
	  "P, costly: when the completion of a send is polled, its buffers are not "		   \
	  "mapped; or when a region is deregistered, its memory is not mapped",			   \
	  "qp mr")										   \
	X(UNDEFINED_WC_FIELDS, undefined_wc_fields, 42, PORTABILITY, ON,			   \
	  "reads undefined fields of an error completion",					   \
	  "If status is not IBV_WC_SUCCESS, read only wr_id, status, qp_num and vendor_err.",	   \
	  "",											   \
	  "")											   \
	X(POSTS_IN_ERR, posts_in_err, 43, WARNING, ON,						   \
	  "keeps posting to a QP in the error state",						   \
	  "Find the first completion that failed, then reset the QP or create a new one.",	   \
	  "the program polls the error of a QP, and then posts two or more sends to it",	   \
	  "qp")											   \
	X(ARM_WITHOUT_POLL, arm_without_poll, 44, ERROR, ON,					   \
	  "CQ was armed while it had completions, and was not polled again",			   \
	  "Poll, arm, and poll once more. Only then wait for the event.",			   \
	  "a CQ is armed while it has completions, and is not polled for 0.2 s (5 s if "	   \
	  "the program is running)",								   \
	  "cq")											   \
	X(EVENTS_UNACKED, events_unacked, 45, LEAK, ON,						   \
	  "events were read but not acknowledged",						   \
	  "Acknowledge each event with ibv_ack_cq_events or ibv_ack_async_event: destroy "	   \
	  "waits for it.",									   \
	  "P: destroy_cq, destroy_qp or destroy_srq waits longer than 60 ms",			   \
	  "cq qp srq")										   \
	X(ASYNC_UNREAD, async_unread, 46, WARNING, ON,						   \
	  "asynchronous events were not read",							   \
	  "Call ibv_get_async_event for each event, best in a thread of its own.",		   \
	  "P: events are unread at close or destroy_qp, and the adapter has raised an "		   \
	  "error event, or four SQ_DRAINED or SRQ_LIMIT_REACHED events",			   \
	  "ucontext")										   \
	X(SRQ_LIMIT_NOT_REARMED, srq_limit_not_rearmed, 47, WARNING, ON,			   \
	  "SRQ is empty, and its limit is not armed",						   \
	  "Arm the limit again with ibv_modify_srq after each SRQ_LIMIT_REACHED: the "		   \
	  "event disarms it.",									   \
	  "an SRQ is empty, and its limit was reached and is not armed; since then, "		   \
	  "receives were posted or 0.2 s have passed",						   \
	  "srq")										   \
	X(SRQ_FIFO, srq_fifo, 48, PORTABILITY, ON,						   \
	  "assumes that receives of an SRQ are used in order",					   \
	  "Identify the receive by the wr_id of its completion.",				   \
	  "",											   \
	  "")											   \
	X(QPN_REUSE, qpn_reuse, 49, PORTABILITY, ON,						   \
	  "assumes that a QPN is not reused",							   \
	  "Drain a QP before you destroy it: late completions and packets may match a new QP's QPN.",\
	  "",											   \
	  "")											   \
	X(FORK_WITH_MRS, fork_with_mrs, 50, PORTABILITY, ON,					   \
	  "fork with registered memory",							   \
	  "Call ibv_fork_init first, and keep registered memory in pages of its own.",		   \
	  "P: fork with registered memory, and neither the program nor its libraries call "	   \
	  "ibv_fork_init",									   \
	  "ucontext")										   \
	X(MEMLOCK_LIMIT, memlock_limit, 51, ERROR, ON,						   \
	  "reg_mr failed because of RLIMIT_MEMLOCK",						   \
	  "Raise the limit: ulimit -l unlimited, or LimitMEMLOCK=infinity in the systemd unit.",   \
	  "reg_mr fails because of RLIMIT_MEMLOCK",						   \
	  "pd")											   \
	X(REG_FOR_EACH_MESSAGE, reg_for_each_message, 52, SPEED, ON,				   \
	  "registers memory for each message",							   \
	  "Register a buffer once and reuse it: a registration costs more than a message.",	   \
	  "P: 16 regions in a row are deregistered after one send each",			   \
	  "ucontext")										   \
	X(POLLS_MEMORY, polls_memory, 53, PORTABILITY, ON,					   \
	  "polls memory for the last byte of an RDMA WRITE",					   \
	  "Wait for a completion: use WRITE with immediate data, or a SEND after the WRITE.",	   \
	  "",											   \
	  "")											   \
	X(BYTE_ORDER, byte_order, 54, ERROR, ON,						   \
	  "address or key in the wrong byte order, or address cut to 32 bits",			   \
	  "Send addresses as 64 bits (htobe64) and keys as 32 bits (htobe32).",			   \
	  "an access fails, and its key or address would fit with its bytes swapped; or "	   \
	  "its address was cut to 32 bits",							   \
	  "qp")											   \
	X(IGNORES_BAD_WR, ignores_bad_wr, 55, ERROR, ON,					   \
	  "work requests before bad_wr were posted again",					   \
	  "Continue at bad_wr: the requests before it are already in the queue.",		   \
	  "P: the last list of work requests was accepted in part, and the next post "		   \
	  "begins with the first request of that list again",					   \
	  "qp srq")										   \
	X(SOLICITED_NEVER_SENT, solicited_never_sent, 56, WARNING, ON,				   \
	  "CQ is armed for solicited events, but the sender requests none",			   \
	  "Set IBV_SEND_SOLICITED at the sender, or arm for every completion.",			   \
	  "a CQ is armed for solicited completions, gets only others, and is not polled "	   \
	  "for 0.2 s (5 s if the program is running)",						   \
	  "cq")											   \
	X(LEFT_AT_CLOSE, left_at_close, 57, LEAK, ON,						   \
	  "objects were left when the context was closed",					   \
	  "Destroy all objects, in the reverse order of their creation.",			   \
	  "a context is closed while it has objects, and no signal ended the process",		   \
	  "ucontext")										   \
	X(PORT_NOT_ACTIVE, port_not_active, 58, WARNING, ON,					   \
	  "QP goes to RTR on a port that is not ACTIVE",					   \
	  "Start a subnet manager (opensm -g GUID; -B: in the background), and wait for ACTIVE.",  \
	  "modify_qp to RTR on a port that is not ACTIVE",					   \
	  "qp")											   \
	X(WHOLE_HEAP, whole_heap, 59, SECURITY, ON,						   \
	  "remote access to more memory than a peer should need",				   \
	  "Register for remote access only the buffer that the peer needs.",			   \
	  "reg_mr allows remote access to 1 GiB or more, or to the whole heap",			   \
	  "pd")											   \
	X(CONTROLLED_QKEY, controlled_qkey, 60, SECURITY, ON,					   \
	  "Q_Key with the high bit from an unprivileged program",				   \
	  "Use a Q_Key below 0x80000000: higher Q_Keys are for privileged programs.",		   \
	  "P: modify_qp fails with EPERM because of its Q_Key",					   \
	  "qp")											   \
	X(WINDOW_KEY_INDEX, window_key_index, 61, PORTABILITY, ON,				   \
	  "memory window was bound with the index of another R_Key",				   \
	  "Change only the low 8 bits of mw->rkey (ibv_inc_rkey): the adapter assigns the upper 24.",\
	  "a type 2 window is bound, and the upper 24 bits of the R_Key in the work "		   \
	  "request differ from the window's",							   \
	  "qp")											   \
	X(USER_SHARE, user_share, 62, ERROR, ON,						   \
	  "requested more than the user's share",						   \
	  "Request less, or free unused objects. The memory share is the module's "		   \
	  "user_memory_percent.",								   \
	  "a verb fails because the user's share is used up ([verbs.md](verbs.md)); the "	   \
	  "finding names the resource, the usage and the limit",				   \
	  "device")

/*
 * Behaviours: X(NAME, word, KIND, clause, meaning). Each has a file glassN/behavior/<word> in
 * debugfs, with 0 (off) or 1 (on). STRICT: the specification allows this behaviour, but it is
 * unusual; a program that relies on the usual one fails while this one is on. LENIENT: the adapter
 * accepts a violation that some other adapters accept, too.
 */
#define GLASS_BEHAVIORS(X)									   \
	X(SRQ_SHUFFLE, srq_shuffle, STRICT, "IBA 10.2.9",						   \
	  "receives of an SRQ are used in a random order")					   \
	X(QPN_REUSE, qpn_reuse, STRICT, "IBA 10.2.4",							   \
	  "a new QP gets the lowest free QPN, even one just freed")				   \
	X(POISON_ERRORS, poison_errors, STRICT, "IBA 11.4.2.1; ibv_poll_cq(3)",				   \
	  "undefined fields of an error completion contain garbage")				   \
	X(LATE_COMPLETIONS, late_completions, STRICT, "IBA 10.8.5",				   \
	  "send completions come up to 5 ms late")						   \
	X(WRITE_REORDER, write_reorder, STRICT, "IBA 9.5, o9-20",				   \
	  "the last bytes (at most 8) of each RDMA WRITE packet are placed 1 to 2 ms before the others")\
	X(RELAXED_INVALIDATION, relaxed_invalidation, STRICT, "IBA 11.2.8",				   \
	  "keys of a deregistered region stay valid for some milliseconds")			   \
	X(AH_PD_ERRNO, ah_pd_errno, STRICT, "IBA C10-10",					   \
	  "a send with an address handle of another PD fails at the post, not in its completion")  \
	X(IMM_ACCESS_EVENT, imm_access_event, STRICT, "IBA 9.9.3",				   \
	  "a refused RDMA WRITE with immediate data raises an asynchronous event, and its receive is flushed")\
	X(ZERO_SGE_MAX, zero_sge_max, STRICT, "IBA 11.4.1.1",				   \
	  "an SGE of length 0 means 2^31 bytes")						   \
	X(POST_ANY_STATE, post_any_state, STRICT, "IBA 10.3.1",					   \
	  "sends may be posted in INIT and RTR; the adapter executes them in RTS")		   \
	X(EQUAL_KEYS, equal_keys, LENIENT, "IBA 10.6.3",					   \
	  "a region's lkey is accepted as its rkey, and its rkey as its lkey; GL020 is still reported")

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

/* lint/findings has one finding in each line: X(name, unit, meaning), as in glass-columns.h */
#define GLASS_COLUMNS_LINT(X)									   \
	X(id, num, "number of the finding, from 1, never reused")				   \
	X(code, word, "GL and the number of the code in three digits, as GL001")		   \
	X(severity, word, "error warning portability speed leak security")			   \
	X(kind, word, "kind of the object that the finding is about: qp cq mr ...; device: the adapter as a whole")\
	X(num, num, "number of this object, as in its table")					   \
	X(pid, num, "process to which the finding belongs")					   \
	X(comm, text, "name of this process")							   \
	X(peer, ref, "the QP of the other side as device:qpn, if it is on this machine and the mistake involves it")\
	X(peer_pid, num, "process of the other side")						   \
	X(peer_comm, text, "name of the other side's process")					   \
	X(count, num, "number of times the mistake was seen")					   \
	X(first, ns, "time of the first occurrence, CLOCK_MONOTONIC")				   \
	X(last, ns, "time of the last occurrence, CLOCK_MONOTONIC")				   \
	X(seen, num, "the wrong value, at the first occurrence")				   \
	X(expected, num, "the correct value, or the limit")					   \
	X(text, text, "a sentence on the first occurrence, with the values")			   \
	X(scopes, text, "ids of the scopes that applied to the process at the last occurrence, joined by ':'; at most the eight newest")\
	X(stack, num, "call stack of the verb or post that made the mistake, a number of stacks; if its program records stacks")\
	X(peer_stack, num, "call stack of the other side's post or, for attributes that do not match, of the verb that set them; a number of stacks")

/* lint/codes has one code on each line */
#define GLASS_COLUMNS_CODES(X)									   \
	X(code, word, "GL and the number of the code in three digits, as GL001")		   \
	X(severity, word, "error warning portability speed leak security")			   \
	X(default, word, "on; or costly: checked only if a scope names the code")		   \
	X(enabled, word, "yes: at least one scope includes the code")				   \
	X(muted, word, "yes: a mute covers all findings of the code")				   \
	X(count, num, "number of times it was seen on the adapter since the last clear, also while muted")\
	X(word, word, "short name of the code")							   \
	X(title, text, "the mistake of the program")

/* Faults of an address: the value `expected` of findings GRH_NEEDED of the provider */
enum glass_lint_bad_gid {
	GLASS_LINT_GID_EMPTY, /* the port has no such GID; also of older providers */
	GLASS_LINT_GID_NO_GRH, /* it has no GRH, and the port is an Ethernet port */
	GLASS_LINT_GID_FAMILY, /* IPv4 to IPv6, or the other way */
	GLASS_LINT_GID_LINK_LOCAL, /* that of the peer is link-local, and no node on the link has it */
	GLASS_LINT_GID_ROUTER, /* the own is link-local, and the way to the peer has a router */
	GLASS_LINT_GID_NETDEV, /* the interface that has it has no route to the peer, another has one */
	GLASS_LINT_GID_GOOD,
};

#endif
