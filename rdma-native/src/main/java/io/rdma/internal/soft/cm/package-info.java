/**
 * The connection manager on the wire, IB specification volume 1, chapter 12: messages and their codec, conversations,
 * identifiers. See {@code docs/internals/soft-cm.md}.
 *
 * <p>Two cycles are intended: the messages form one sealed hierarchy with their codec; an identifier, its conversation
 * and the agent that routes messages to it call each other.
 */
@NullMarked
package io.rdma.internal.soft.cm;

import org.jspecify.annotations.NullMarked;
