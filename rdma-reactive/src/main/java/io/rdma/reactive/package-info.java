/**
 * RDMA for Project Reactor: operations as {@code Mono}, messages as {@code Flux} with back-pressure that reaches
 * the peer.
 */
@NullMarked
package io.rdma.reactive;

import org.jspecify.annotations.NullMarked;
