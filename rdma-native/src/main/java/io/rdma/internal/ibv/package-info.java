/**
 * Numbers and structures of libibverbs and librdmacm, named as in C, the layouts of the data path, and access to native
 * memory by address. Knows no other package.
 */
@NullMarked
package io.rdma.internal.ibv;

import org.jspecify.annotations.NullMarked;
