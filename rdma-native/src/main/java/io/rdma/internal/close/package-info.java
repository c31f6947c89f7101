/** How several objects are closed: every step is tried, and what was made before a failure is undone. */
@NullMarked
package io.rdma.internal.close;

import org.jspecify.annotations.NullMarked;
