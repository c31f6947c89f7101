package io.rdma.samples.catalog;

/**
 * Answer to an order.
 *
 * @param order the order
 * @param cents price of all pieces
 */
record Receipt(Order order, int cents) {}
