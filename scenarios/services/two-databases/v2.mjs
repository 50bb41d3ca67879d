/** The same in one statement. */
export async function newestPosts(store, channel) {
  const posts = await store.query(
    'SELECT p.id, u.name, p.message FROM posts p JOIN users u ON u.id = p.user_id WHERE p.channel_id = ? ORDER BY p.id DESC LIMIT 20',
    [channel],
  );
  return posts.map(({ id, name, message }) => ({ id: Number(id), user: name, message }));
}
