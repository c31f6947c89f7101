package io.rdma.samples.catalog;

/**
 * An item of the catalog.
 *
 * @param id from 1 to {@link ItemController#ITEMS}
 * @param name what it is
 * @param cents price of one
 */
record Item(int id, String name, int cents) {}
