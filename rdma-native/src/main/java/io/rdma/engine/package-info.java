/**
 * Options, counters and errors of the engine. The engine stands between verbs and the front-ends: it posts the work
 * requests of connections, polls their completions, keeps receives posted, and drains queue pairs that close. {@link
 * io.rdma.engine.RdmaEndpoint} is its view of one connection. Its code is in packages that are not public.
 */
@NullMarked
package io.rdma.engine;

import org.jspecify.annotations.NullMarked;
