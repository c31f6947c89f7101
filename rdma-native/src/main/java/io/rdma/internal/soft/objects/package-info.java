/**
 * Objects that were made from the device: queue pairs, completion queues, memory and its keys, with their rings and
 * tables. They see the running device as {@link io.rdma.internal.soft.objects.Device}, and their transports as two
 * interfaces.
 *
 * <p>The classes here know each other in a circle, as the objects of the verbs do: a queue pair holds its completion
 * queues and its domain, and these its context; a completion names its queue pair.
 */
@NullMarked
package io.rdma.internal.soft.objects;

import org.jspecify.annotations.NullMarked;
