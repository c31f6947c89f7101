package io.rdma.samples.prices

import io.grpc.MethodDescriptor
import io.grpc.MethodDescriptor.MethodType
import java.io.InputStream

/**
 * Methods of the service, with texts as messages. `protoc` generates such descriptors, the stub and the base class of
 * the service from a `.proto` file; nothing of it depends on the transport.
 */
internal object PriceMethods {
    const val SERVICE = "io.rdma.samples.Prices"

    val latest = method(MethodType.UNARY, "Latest")
    val watch = method(MethodType.SERVER_STREAMING, "Watch")
    val averages = method(MethodType.BIDI_STREAMING, "Averages")

    private fun method(
        type: MethodType,
        name: String,
    ): MethodDescriptor<String, String> =
        MethodDescriptor
            .newBuilder(Text, Text)
            .setType(type)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
            .build()

    private object Text : MethodDescriptor.Marshaller<String> {
        override fun stream(value: String): InputStream = value.byteInputStream()

        override fun parse(stream: InputStream): String = stream.readBytes().decodeToString()
    }
}
