/** Messages to a server and back. */
@NullMarked
package io.rdma.samples.echo;

import org.jspecify.annotations.NullMarked;
