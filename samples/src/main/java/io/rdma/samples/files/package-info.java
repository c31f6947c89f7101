/** A file that clients read out of the server's memory. */
@NullMarked
package io.rdma.samples.files;

import org.jspecify.annotations.NullMarked;
