/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters of a queue pair, as a table. The driver makes three things from the table: the structure
 * in which the protocol core counts, columns of debugfs `qp`, and the counters of a port in `rdma
 * statistic` and sysfs hw_counters/. A port also counts its drops by reason. Such a counter is
 * named drop_WORD, with a word of GLASS_DROP_CLASSES.
 *
 * X(name, unit, meaning), as in uapi/glass-columns.h. The table has three parts, because other
 * columns of `qp` stand between the parts, and a column of `qp` never moves.
 */
#ifndef GLASS_UAPI_COUNTERS_H
#define GLASS_UAPI_COUNTERS_H

#define GLASS_COUNTERS_TRAFFIC(X)                                                                  \
	X(tx_pkts, num, "packets sent, including retries and acknowledgements")                    \
	X(rx_pkts, num, "packets received")                                                        \
	X(tx_msgs, num, "messages sent")                                                           \
	X(rx_msgs, num, "messages received")                                                       \
	X(tx_bytes, bytes, "payload sent")                                                         \
	X(rx_bytes, bytes, "payload received")                                                     \
	X(retries, num, "times that the requester went back and sent again")                       \
	X(timeouts, num, "ACK timeouts: no answer came in time")                                   \
	X(rnr_rx, num, "RNR NAKs received")                                                        \
	X(rnr_tx, num, "RNR NAKs sent")                                                            \
	X(drops, num, "packets for this queue pair that were dropped")

#define GLASS_COUNTERS_ERRORS(X)                                                                   \
	X(nak_rx, num, "NAKs received, without RNR NAKs")                                          \
	X(nak_tx, num, "NAKs sent, without RNR NAKs")                                              \
	X(dup_rx, num, "duplicate request packets received")                                       \
	X(loc_errs, num, "work requests that failed on this side: length, operation, memory")      \
	X(rem_errs, num, "requests that the peer refused, or answered with an invalid response")   \
	X(retry_errs, num, "requests that failed because no retry was left")                       \
	X(resp_errs, num, "requests of the peer that were refused: invalid, or no access")         \
	X(qp_errs, num, "times that an error took the queue pair to ERR or SQE")                   \
	X(err_cqes, num, "completions with an error, without flushes")                             \
	X(flush_cqes, num, "completions with a flush error")

/*
 * Congestion at Ethernet ports (IBA annex A17.9.3). The names are those of mlx5: np is the
 * notification point, which receives, and rp is the reaction point, which sends.
 */
#define GLASS_COUNTERS_ECN(X)                                                                      \
	X(np_ecn_marked_roce_packets, num, "packets received that a switch has marked: CE")        \
	X(np_cnp_sent, num, "CNPs sent because of such packets")                                   \
	X(rp_cnp_handled, num, "CNPs received, by which the queue pair sends more slowly")         \
	X(rp_cnp_ignored, num, "CNPs received that change nothing: the parameter `ecn` is off")

#define GLASS_COUNTERS_QP(X)                                                                       \
	GLASS_COUNTERS_TRAFFIC(X) GLASS_COUNTERS_ERRORS(X) GLASS_COUNTERS_ECN(X)

#endif
