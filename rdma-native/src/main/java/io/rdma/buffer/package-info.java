/** Registered buffers: who may touch which memory when. */
@NullMarked
package io.rdma.buffer;

import org.jspecify.annotations.NullMarked;
