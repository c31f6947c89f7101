/** Registered buffers: the rights of the application and the device to the memory, and their order in time. */
@NullMarked
package io.rdma.buffer;

import org.jspecify.annotations.NullMarked;
