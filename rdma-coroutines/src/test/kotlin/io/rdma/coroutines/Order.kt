package io.rdma.coroutines

import kotlinx.serialization.Serializable

/** A value of the tests, whose serializer a plugin of the compiler makes. It refuses a negative number. */
@Serializable
internal data class Order(
    val number: Int,
    val item: String,
) {
    init {
        check(number >= 0) { "the number is negative" }
    }
}

/** A value that may be nested to any depth. */
@Serializable
internal data class Nested(
    val next: Nested?,
)
