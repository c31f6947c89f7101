/** Messages over RDMA CM, which talk to rdma-core's {@code ucmatose}. */
@NullMarked
package io.rdma.samples.ucmatose;

import org.jspecify.annotations.NullMarked;
