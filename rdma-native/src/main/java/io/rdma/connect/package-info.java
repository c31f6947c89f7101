/** How connections are made: their options, the limits of servers, and the resources that connections share. */
@NullMarked
package io.rdma.connect;

import org.jspecify.annotations.NullMarked;
