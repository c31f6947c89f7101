package io.rdma.samples.support;

/** The front-end that a sample uses. */
public enum Language {
    /** Java, with Reactor. */
    java,
    /** Kotlin, with coroutines. */
    kotlin
}
