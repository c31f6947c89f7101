/** TCP connections that listeners accept. Knows no verbs. */
@NullMarked
package io.rdma.internal.net;

import org.jspecify.annotations.NullMarked;
