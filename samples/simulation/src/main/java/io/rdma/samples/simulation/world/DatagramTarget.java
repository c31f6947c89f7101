package io.rdma.samples.simulation.world;

import io.rdma.verbs.DatagramAddress;

/**
 * Destination of datagrams.
 *
 * @param number of a socket, or from {@link DatagramLog#FIRST_GROUP} on of a group
 * @param address found, or joined
 */
record DatagramTarget(int number, DatagramAddress address) {}
