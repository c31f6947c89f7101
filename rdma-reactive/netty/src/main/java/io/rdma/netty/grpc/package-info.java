/** gRPC over RDMA, by the builders of {@code grpc-netty}. */
@NullMarked
package io.rdma.netty.grpc;

import org.jspecify.annotations.NullMarked;
