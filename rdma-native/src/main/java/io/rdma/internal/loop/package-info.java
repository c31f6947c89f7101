/**
 * The completion loop: completion queues, the step that polls and dispatches them, the threads that drive it, and the
 * table that finds the owner of a {@code wr_id}. It knows connections only as members.
 */
@NullMarked
package io.rdma.internal.loop;

import org.jspecify.annotations.NullMarked;
