/**
 * Connection set-up as an application sees it: options of connections, limits of servers, the resources that
 * connections share, the error of a connection that was not made, and the options of pools with their servers.
 */
@NullMarked
package io.rdma.connect;

import org.jspecify.annotations.NullMarked;
