package io.rdma.samples.catalog;

/**
 * An order.
 *
 * @param item id of the item
 * @param count number of pieces
 */
record Order(int item, int count) {}
