package io.rdma.spring.boot.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstrapper of the contexts of {@link RdmaTest}. */
final class RdmaTestContextBootstrapper extends TestSliceTestContextBootstrapper<RdmaTest> {}
