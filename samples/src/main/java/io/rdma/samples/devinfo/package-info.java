/** The devices of this host, as {@code ibv_devinfo -v} shows them. */
@NullMarked
package io.rdma.samples.devinfo;

import org.jspecify.annotations.NullMarked;
