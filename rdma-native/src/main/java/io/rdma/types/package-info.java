/**
 * Vocabulary of the verbs manual: enums, attributes and errors. Everything here is a value; no object of a device is
 * needed to read it.
 */
@NullMarked
package io.rdma.types;

import org.jspecify.annotations.NullMarked;
