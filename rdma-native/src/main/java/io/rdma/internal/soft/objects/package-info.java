/**
 * Objects created from the device: queue pairs, completion queues, memory and its keys, with their rings and tables.
 * They see the running device as {@link io.rdma.internal.soft.objects.Device}, and their transports as two interfaces.
 *
 * <p>These classes refer to each other in a cycle, as the verbs objects do: a queue pair holds its completion queues
 * and its domain, these hold their context, and a completion names its queue pair.
 */
@NullMarked
package io.rdma.internal.soft.objects;

import org.jspecify.annotations.NullMarked;
