/** Sample of one web service, unchanged, over TCP and over RDMA. */
@NullMarked
package io.rdma.samples.catalog;

import org.jspecify.annotations.NullMarked;
