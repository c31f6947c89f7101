/**
 * The programs {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong}, {@code ibv_ud_pingpong} and {@code ibv_srq_pingpong}
 * of rdma-core, written with the typed verbs objects. Either end may be the C program.
 */
@NullMarked
package io.rdma.samples.pingpong;

import org.jspecify.annotations.NullMarked;
