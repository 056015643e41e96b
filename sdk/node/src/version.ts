/** The version in `package.json`. */
export const VERSION = '0.1.0';
export const USER_AGENT = `weir-sdk-node/${VERSION}`;
