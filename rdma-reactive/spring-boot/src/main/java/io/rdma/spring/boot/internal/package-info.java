/** What the starters of both front-ends share; exported to the modules of this project alone. */
@NullMarked
package io.rdma.spring.boot.internal;

import org.jspecify.annotations.NullMarked;
