/** Numbers and structures of libibverbs and librdmacm, named as in C, and the layouts of the data path. */
@NullMarked
package io.rdma.internal.ibv;

import org.jspecify.annotations.NullMarked;
