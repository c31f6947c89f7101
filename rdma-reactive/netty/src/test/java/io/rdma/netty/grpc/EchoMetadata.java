package io.rdma.netty.grpc;

import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/**
 * Interceptor of a server that sends metadata back.
 *
 * @param first key of what goes into the headers
 * @param last key of what goes into the trailers
 */
record EchoMetadata(Metadata.Key<String> first, Metadata.Key<byte[]> last) implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata received, ServerCallHandler<Q, A> next) {
        return next.startCall(
                new ForwardingServerCall.SimpleForwardingServerCall<Q, A>(call) {
                    @Override
                    public void sendHeaders(Metadata headers) {
                        copy(received, headers, first);
                        super.sendHeaders(headers);
                    }

                    @Override
                    public void close(Status status, Metadata trailers) {
                        copy(received, trailers, last);
                        super.close(status, trailers);
                    }
                },
                received);
    }

    private static <T> void copy(Metadata from, Metadata to, Metadata.Key<T> key) {
        T value = from.get(key);
        if (value != null) {
            to.put(key, value);
        }
    }
}
