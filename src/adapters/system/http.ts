/**
 * Node's `http` without the module of its names. To import those reads each of them, `WebSocket`
 * among them, and that one compiles the whole of Node's own undici: 50 to 110 ms of every start
 * (Node.js 22 and 26, `lib/http.js`).
 */
export const http = process.getBuiltinModule('node:http');
