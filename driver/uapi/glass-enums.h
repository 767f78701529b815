/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The tables of glass-vocab.h as C enums. The constants are named like GLASS_QPT_RC,
 * GLASS_QPS_RTS, GLASS_BOP_SEND_ONLY, GLASS_PKT_SEND, GLASS_OP_WRITE, GLASS_WC_SUCCESS,
 * GLASS_WCOP_RECV, GLASS_EV_QP_FATAL, GLASS_DIR_TX, GLASS_PORT_ACTIVE, GLASS_CAUSE_VERB,
 * GLASS_DROP_NO_QP, GLASS_LANE_SDR, GLASS_AT_SWITCH, GLASS_ACT_QP_FATAL,
 * GLASS_VERB_CREATE_QP, GLASS_MATCH_QPN, GLASS_SHARE_QP.
 *
 * GLASS_WORDS(TABLE) expands to the initialiser of an array that has the word of each
 * value at the index of the value.
 */
#ifndef GLASS_UAPI_ENUMS_H
#define GLASS_UAPI_ENUMS_H

#include "glass-vocab.h"

#define GLASS_E_QPT(n, w, v) GLASS_QPT_##n = (v),
#define GLASS_E_QPS(n, w, v) GLASS_QPS_##n = (v),
#define GLASS_E_BOP(n, w, v) GLASS_BOP_##n = (v),
#define GLASS_E_PKT(n, ...) GLASS_PKT_##n,
#define GLASS_E_OP(n, w, v) GLASS_OP_##n = (v),
#define GLASS_E_WC(n, w, v) GLASS_WC_##n = (v),
#define GLASS_E_WCOP(n, w, v) GLASS_WCOP_##n = (v),
#define GLASS_E_EV(n, w, v) GLASS_EV_##n = (v),
#define GLASS_E_DIR(n, w, v) GLASS_DIR_##n = (v),
#define GLASS_E_PORT(n, w, v) GLASS_PORT_##n = (v),
#define GLASS_E_CAUSE(n, w, v) GLASS_CAUSE_##n = (v),
#define GLASS_E_DROP(n, w, v) GLASS_DROP_##n = (v),
#define GLASS_E_LANE(n, w, v) GLASS_LANE_##n = (v),
#define GLASS_E_AT(n, w, v) GLASS_AT_##n = (v),
#define GLASS_E_ACT(n, w, v) GLASS_ACT_##n = (v),
#define GLASS_E_VERB(n, w, v) GLASS_VERB_##n = (v),
#define GLASS_E_MATCH(n, w, v) GLASS_MATCH_##n = (v),
#define GLASS_E_SHARE(n, w, v) GLASS_SHARE_##n = (v),

enum glass_qp_type { GLASS_QP_TYPES(GLASS_E_QPT) GLASS_QPT_COUNT };
enum glass_qp_state { GLASS_QP_STATES(GLASS_E_QPS) GLASS_QPS_COUNT };
enum glass_bth_op { GLASS_BTH_OPS(GLASS_E_BOP) };
enum glass_pkt_op { GLASS_PKT_OPS(GLASS_E_PKT) GLASS_PKT_COUNT };
enum glass_wr_op { GLASS_WR_OPS(GLASS_E_OP) GLASS_OP_COUNT };
enum glass_wc_status { GLASS_WC_STATUSES(GLASS_E_WC) GLASS_WC_COUNT };
enum glass_wc_op { GLASS_WC_OPS(GLASS_E_WCOP) };
enum glass_event { GLASS_EVENTS(GLASS_E_EV) GLASS_EV_COUNT };
enum glass_dir { GLASS_DIRS(GLASS_E_DIR) };
enum glass_port_state { GLASS_PORT_STATES(GLASS_E_PORT) GLASS_PORT_STATE_COUNT };
enum glass_cause { GLASS_CAUSES(GLASS_E_CAUSE) GLASS_CAUSE_COUNT };
enum glass_drop { GLASS_DROP_REASONS(GLASS_E_DROP) GLASS_DROP_COUNT };
enum glass_lane_speed { GLASS_SPEEDS(GLASS_E_LANE) GLASS_LANE_SPEED_COUNT };
enum glass_drop_place { GLASS_DROP_PLACES(GLASS_E_AT) GLASS_AT_COUNT };
enum glass_action { GLASS_ACTIONS(GLASS_E_ACT) GLASS_ACT_COUNT };
enum glass_verb { GLASS_VERBS(GLASS_E_VERB) GLASS_VERB_COUNT };
enum glass_match_key { GLASS_MATCH_KEYS(GLASS_E_MATCH) GLASS_MATCH_COUNT };
enum glass_share_of { GLASS_SHARES(GLASS_E_SHARE) GLASS_SHARE_COUNT };

#define GLASS_WORD(n, w, v) [v] = #w,
#define GLASS_WORDS(TABLE) { TABLE(GLASS_WORD) }

#endif
