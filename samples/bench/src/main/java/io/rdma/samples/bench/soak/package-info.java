/** Mixed traffic for some minutes, and the resources that the process holds during it. */
@NullMarked
package io.rdma.samples.bench.soak;

import org.jspecify.annotations.NullMarked;
