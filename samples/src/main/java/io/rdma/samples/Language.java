package io.rdma.samples;

/** Which front-end a sample uses. */
enum Language {
    java,
    kotlin
}
