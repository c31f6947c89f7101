/** Conditions and checks of the starters of both front-ends; exported to the modules of this project alone. */
@NullMarked
package io.rdma.spring.boot.internal;

import org.jspecify.annotations.NullMarked;
