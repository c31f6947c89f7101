package io.rdma.samples.prices

import io.grpc.ManagedChannel
import io.grpc.Server
import io.grpc.StatusException
import io.grpc.netty.NettyChannelBuilder
import io.grpc.netty.NettyServerBuilder
import io.netty.channel.EventLoopGroup
import io.netty.channel.MultiThreadIoEventLoopGroup
import io.rdma.netty.RdmaIoHandler
import io.rdma.netty.RdmaIoOptions
import io.rdma.netty.grpc.RdmaGrpc
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import java.net.InetSocketAddress
import java.util.concurrent.TimeUnit

/** A service of gRPC over RDMA and its client. The first argument names the device, `soft0` if there is none. */
fun main(arguments: Array<String>) {
    val options = RdmaIoOptions.DEFAULT.withDevice(RdmaDevices.named(arguments.firstOrNull() ?: "soft0"))
    val loops = MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(options))
    try {
        demonstrate(loops).forEach(::println)
    } finally {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly()
    }
}

/** Runs server and client on the event loops, and returns what each call came to. */
internal fun demonstrate(loops: EventLoopGroup): List<String> {
    val server: Server =
        RdmaGrpc
            .server(NettyServerBuilder.forAddress(InetSocketAddress("127.0.0.1", 0)), loops, loops)
            .addService(PriceService())
            .build()
            .start()
    val channel: ManagedChannel =
        RdmaGrpc
            .channel(NettyChannelBuilder.forAddress("127.0.0.1", server.port), loops)
            .usePlaintext()
            .build()
    try {
        return runBlocking { calls(PriceClient(channel)) }
    } finally {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS)
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS)
    }
}

private suspend fun calls(client: PriceClient): List<String> {
    val refused = runCatching { client.latest("plums") }.exceptionOrNull() as StatusException
    val watched = client.watch("pears").take(5).toList()
    val averages = client.averages((1..1000).asFlow().map { "$it" }).toList()
    return listOf(
        "unary             ${client.latest("apples")}",
        "unary             refused: ${refused.status.code}, ${refused.status.description}",
        "server streaming  the first 5 of a flow without end: $watched",
        "bidi streaming    1000 prices out, ${averages.size} averages in, the last is ${averages.last()}",
    )
}
