/**
 * Connection set-up as an application sees it: options of connections, limits of servers, the resources that
 * connections share, and the error of a connection that was not made.
 */
@NullMarked
package io.rdma.connect;

import org.jspecify.annotations.NullMarked;
