/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel without the features that driver/compat/probes finds. */
