/** Settings that no scenario can give to a server, with why: they are on its command line, so that it cannot be moved. */
export const reservedSettings: Readonly<Record<string, string>> = {
  port: 'give it as the port of the stack',
  listen_addresses: 'the server listens where the bench alone and its services reach it',
  unix_socket_directories: 'the server has no socket',
  data_directory: 'the server has a temporary folder',
  hba_file: 'the server has its own',
  config_file: 'the server has its own',
};
