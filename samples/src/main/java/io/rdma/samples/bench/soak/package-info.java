/** Mixed traffic for some minutes, and what the process holds meanwhile. */
@NullMarked
package io.rdma.samples.bench.soak;

import org.jspecify.annotations.NullMarked;
