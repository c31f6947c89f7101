package io.rdma.samples;

/** The front-end that a sample uses. */
public enum Language {
    /** Java, with Reactor. */
    java,
    /** Kotlin, with coroutines. */
    kotlin
}
