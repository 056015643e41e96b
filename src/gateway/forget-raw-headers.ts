import type { Dispatcher } from 'undici';

/**
 * Lets go of an answer's headers as bytes once they are read: they are views of the network buffer that they came in,
 * which they would keep, whole, for as long as the answer takes.
 */
export const forgetRawHeaders: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart(controller, ...start) {
      handler.onResponseStart?.(controller, ...start);
      controller.rawHeaders = null;
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  });
