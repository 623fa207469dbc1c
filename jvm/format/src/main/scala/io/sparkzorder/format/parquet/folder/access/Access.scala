// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.permission.{AclEntry, AclEntryScope, AclEntryType, AclUtil, FsAction, FsPermission}

/**
 * Who may read and write a file or a folder.
 *
 * @param owner
 *   None for the user of this process, or `preferred`
 * @param group
 *   None where files of several groups were brought together: any group, whose members may do what others may
 * @param permission
 *   permission bits; those of the group are the owning group's, whatever an access control list adds
 * @param acl
 *   the whole access control list; empty where there is none
 * @param preferred
 *   of files of several owners: who owns the folders of all of them, and may read them. What this process makes of them is
 *   given to that one, where it may give it away; what is there stays whose it is
 */
private[parquet] final case class Access(
    owner: Option[String],
    group: Option[String],
    permission: FsPermission,
    acl: Seq[AclEntry],
    preferred: Option[String] = None) {

  /** To whom something new is given; None for the user of this process. */
  def newOwner: Option[String] = owner.orElse(preferred)

  /** For nobody else than the user of this process where the owner is one of whom this does not hold. */
  def ownedBy(may: String => Boolean): Access = copy(owner = owner.filter(may), preferred = preferred.filter(may))

  /** As open as both of them. */
  def and(other: Access): Access = {
    val (a, b) = if (acl == other.acl) (this, other) else (withoutList, other.withoutList)
    val both = Access(
      owner.filter(other.owner.contains),
      group.filter(other.group.contains),
      new FsPermission((a.permission.toShort & b.permission.toShort).toShort),
      a.acl,
      preferred.filter(other.preferred.contains)
    )
    if (both.group.isEmpty) both.ofNoGroup else both
  }

  /** Whether another access may let somebody do what this one does not. */
  def isExceededBy(other: Access): Boolean =
    (other.permission.toShort & ~permission.toShort & Access.AllBits) != 0 || (other.acl.nonEmpty && other.acl != acl)

  /** Whether nobody may read what is in a folder of this access, and has the other one, but who may enter the folder. */
  def shuts(inner: Access): Boolean = {
    val (bits, ofInner) = (permission.toShort, inner.permission.toShort)
    // Of another group, its members are others here.
    val asHere =
      if (inner.group == group) ofInner.toInt
      else (ofInner & Access.Others) | (ofInner & Access.GroupBits) >> 3
    val entering = bits & Access.Execute & (Access.GroupBits | Access.Others)
    (asHere & (Access.GroupBits | Access.Others) & ~(entering | entering << 1 | entering << 2)) == 0 &&
    (inner.acl.isEmpty || inner.acl == acl)
  }

  /** Whether another access, if it were given, would let more do something, or name another owner or group. */
  def isOpenedBy(wanted: Access): Boolean = isExceededBy(wanted) || wanted.group.exists(!group.contains(_)) ||
    wanted.newOwner.exists(!owner.contains(_))

  /** For a file in a folder: who may not enter the folder may not read the file, also as its owner. */
  def reachedBy(folder: Access): Access = withoutThose(folder, Access.Execute)

  /** For what has the name of a file in a folder: who may not list the folder may not know the name. */
  def namedIn(folder: Access): Access = {
    val bits = folder.permission.toShort & (Access.GroupBits | Access.Others)
    val isOpen = (bits & (Access.Read | Access.Execute)) == ((Access.Read | Access.Execute) & ~Access.OwnerFolder)
    reachedBy(folder).withoutThose(folder, Access.Read)
      .copy(preferred = preferred.filter(p => folder.owner.contains(p) || (isOpen && folder.acl.isEmpty)))
  }

  /** Whether a user may certainly do something, of whom the list may say so. */
  private def lets(user: String, right: Int): Boolean = {
    def isOf(entry: AclEntry) = entry.getType == AclEntryType.USER && entry.getName == user
    def may(entry: AclEntry) = (entry.getPermission.and(mask).ordinal & right) != 0
    certainlyMay(right, user) || (acl.nonEmpty && acl.find(isOf).fold(withoutList.certainlyMay(right, user))(may))
  }

  /** For a file in a folder: its owner is preferred, who may delete the file, if that one may read it. */
  def preferring(folder: Access): Access = copy(preferred = folder.owner.filter(isReadBy))

  /** Without those who have none of these rights on a folder. */
  private def withoutThose(folder: Access, rights: Int): Access = {
    val held = folder.permission.toShort & rights
    val ofGroup = (held & Access.GroupBits) != 0
    // The folder's group may be of the file's others.
    val othersMay = (held & Access.Others) != 0 && (folder.group == group || ofGroup)
    val groupMay = if (folder.group == group) ofGroup else othersMay
    val barred = (if (groupMay) 0 else Access.GroupBits) | (if (othersMay) 0 else Access.Others)
    val listed = if (othersMay || folder.acl.nonEmpty) this else withoutList
    listed.copy(
      owner = owner.filter(folder.lets(_, rights)),
      permission = new FsPermission((listed.permission.toShort & ~barred).toShort))
  }

  /**
   * Access of a record about a file right in a folder: a user may write it only if they may delete the file, which the
   * record may have deleted.
   */
  def deletedIn(folder: Access): Access = {
    val may = if (folder.permission.getStickyBit) 0 else folder.permission.toShort & folder.entered & Access.WriteOfMany
    val othersMay = (may & Access.Others) != 0 && (may & Access.GroupBits) != 0
    val groupMay = if (folder.group == group) (may & Access.GroupBits) != 0 else othersMay
    val writers = (if (groupMay) Access.GroupBits else 0) | (if (othersMay) Access.Others else 0)
    val bits = permission.toShort & ~Access.WriteOfMany | Access.WriteOfMany & writers
    copy(permission = new FsPermission(bits.toShort)).preferring(folder)
  }

  /** Without the group's right to write. */
  def closedToGroup: Access = {
    val bits = permission.toShort & ~(Access.WriteOfMany & Access.GroupBits)
    copy(permission = new FsPermission(bits.toShort))
  }

  /** The bits for writing of those who may enter. */
  private def entered: Int = (permission.toShort & Access.Execute) << 1

  /** Without what goes beyond the other one; owner and group stay. */
  def narrowedTo(other: Access): Access = {
    val asked = if (other.group.forall(group.contains)) other else other.ofNoGroup
    val (now, most) = if (acl == asked.acl) (this, asked) else (withoutList, asked.withoutList)
    now.copy(permission = new FsPermission((now.permission.toShort & most.permission.toShort).toShort))
  }

  /** Whether a user may certainly read it: also where it is not known of whom the group is. */
  def isReadBy(user: String): Boolean = certainlyMay(Access.Read, user)

  /** Whether a user may certainly list a folder and enter it. */
  def isEnteredBy(user: String): Boolean = isReadBy(user) && certainlyMay(Access.Execute, user)

  private def certainlyMay(right: Int, user: String): Boolean = owner.contains(user) || {
    // Asked for where it matters.
    lazy val isMember = group.flatMap(UserGroups.isIn(user, _))
    acl.isEmpty && (may(right & Access.GroupBits) || isMember.contains(false)) &&
    (may(right & Access.Others) || isMember.contains(true))
  }

  /** Whether a user may read it, as far as is known; so may one of whom it is not known whether the group is theirs. */
  def mayBeReadBy(user: String, isMember: => Option[Boolean]): Boolean = owner.contains(user) || acl.nonEmpty || {
    val (byGroup, byOthers) = (may(Access.Read & Access.GroupBits), may(Access.Read & Access.Others))
    // Asked for where it matters.
    if (byGroup == byOthers) byGroup else isMember.forall(is => if (is) byGroup else byOthers)
  }

  private def may(bits: Int): Boolean = (permission.toShort & bits) != 0

  /** Whether all may read what has this access who may read what has the other one, as far as permissions show it. */
  def isReadByAllOf(other: Access): Boolean = {
    def reads(access: Access, bits: Int) = (access.permission.toShort & Access.Read & bits) != 0
    def byGroup = reads(this, Access.GroupBits) && group == other.group
    // Members of its group are others to files of another one.
    val ofGroup = if (group == other.group) Access.GroupBits else Access.Others
    reads(this, Access.Others) && (reads(this, Access.GroupBits) || !reads(other, ofGroup)) ||
    // An owner of files is mostly in their group.
    other.owner.forall(o => owner.contains(o) || byGroup) &&
    (other.group.isEmpty || !reads(other, Access.GroupBits) || byGroup) &&
    !reads(other, Access.Others) && (other.acl.isEmpty || acl == other.acl)
  }

  /** Access for an unknown group: everybody but the owner gets only the rights that group and others share. */
  def ofNoGroup: Access = {
    val listed = withoutList
    val bits = listed.permission.toShort
    val all = bits & Access.Others & ((bits & Access.GroupBits) >> 3)
    listed.copy(permission = new FsPermission((bits & ~(Access.GroupBits | Access.Others) | all | all << 3).toShort))
  }

  private def mask: FsAction = acl.find(_.getType == AclEntryType.MASK).fold(FsAction.ALL)(_.getPermission)

  /** Access without its list: a listed user now counts as group or others, which get at most the listed rights. */
  private def withoutList: Access = if (acl.isEmpty) this
  else {
    def least(of: Seq[AclEntry]) = of.foldLeft(mask)((held, entry) => held.and(entry.getPermission))
    val named = acl.filter(_.getName != null)
    val users = named.filter(_.getType == AclEntryType.USER)
    val most = new FsPermission(
      FsAction.ALL,
      if (users.isEmpty) FsAction.ALL else least(users),
      if (named.isEmpty) FsAction.ALL else least(named))
    copy(permission = new FsPermission((permission.toShort & (most.toShort | Access.Sticky)).toShort), acl = Nil)
  }

  /** The list as a file system is to be given it, where the permission bits have become fewer. */
  def list: Seq[AclEntry] = acl.map { entry =>
    def atMost(action: FsAction) = withAction(entry, _.and(action))
    if (entry.getName != null) entry
    else if (entry.getType == AclEntryType.GROUP) atMost(permission.getGroupAction)
    else if (entry.getType == AclEntryType.OTHER) atMost(permission.getOtherAction)
    else entry
  }

  /** For a file that is written anew: as open, and not to be executed. */
  def ofFile: Access = copy(
    permission = new FsPermission((permission.toShort & ~Access.Execute | Access.OwnerFile).toShort),
    acl = acl.map(withAction(_, action => action.and(FsAction.READ_WRITE)))
  )

  /** For a folder of files that are as open as this: whoever may read these may enter it. */
  def ofFolder: Access = {
    val bits = permission.toShort
    copy(
      permission = new FsPermission((bits | ((bits & Access.Read) >> 2) | Access.OwnerFolder).toShort),
      acl = acl.map(withAction(_, action => if (action.implies(FsAction.READ)) action.or(FsAction.EXECUTE) else action))
    )
  }

  /** Folder that receives files from another: users who could delete them there can delete them here. */
  def ofFolderLike(from: Access): Access = {
    val made = ofFolder
    val bits = made.permission.toShort
    val isAlike = from.group == group && !from.permission.getStickyBit
    val writers = if (isAlike) from.permission.toShort & Access.WriteOfMany & ((bits & Access.Execute) << 1) else 0
    made.copy(permission = new FsPermission((bits | writers).toShort))
  }

  /** For a folder into which all may write who may enter it. */
  def ofEntering: Access = copy(permission = new FsPermission((permission.toShort | entered).toShort))

  /** For a folder of files that only those need who may write there. */
  def ofWriters: Access = {
    val bits = permission.toShort
    val readers = Seq(Access.GroupBits, Access.Others).filter(of => (bits & of & Access.WriteOfMany) == 0).sum
    // Who may write by a list is not distinguished from who may read.
    if (acl.isEmpty) copy(permission = new FsPermission((bits & ~readers).toShort)) else this
  }

  /**
   * For what is kept of files that are as open as this, in a table whose own folder is `root`; those may write it who may
   * write the files.
   *
   * @param isJudged
   *   whether it counts by whom it belongs to also where few may write into that folder, see
   *   [[io.sparkzorder.format.parquet.folder.FolderTrust]]
   */
  def within(root: Access, isJudged: Boolean = true): Access = {
    val (bits, ofRoot) = (permission.toShort & ~notListed(root), root.permission.toShort)
    // Another group than the folder's are others there.
    val all =
      if (root.group == group) ofRoot.toInt else ofRoot & ~Access.GroupBits | (ofRoot & Access.Others) << 3
    // With this bit they may add files, and touch none of another: the log says which are deleted.
    val there = if (root.permission.getStickyBit) all & ~Access.WriteOfMany else all
    // Who may read the files may do in their table's folder what they may do there, and in the files' own.
    val classes = bits & Access.Read | ((bits & Access.Read) >> 1) & bits & there
    // There, and where few may write, it counts as the folder's owner's, or of who runs a statement.
    val isOfFew = root.permission.getStickyBit || (isJudged && (ofRoot & Access.WriteOfMany) == 0)
    // Of the table's own folder: whoever owns but a partition could have files of others deleted by the log.
    val owned = (if (isOfFew) ownedBy(root.owner.contains) else this).copy(preferred =
      preferred.filter(root.owner.contains))
    owned.copy(permission = new FsPermission((classes | Access.OwnerFile).toShort))
  }

  /** Of whom some may enter a folder and not list it: to others than these it is closed anyhow. */
  private def notListed(root: Access): Int = {
    val enter = (root.permission.toShort & Access.Execute) << 2 & ~root.permission.toShort
    val (group, others) = ((enter & Access.GroupBits) != 0, (enter & Access.Others) != 0)
    val isOfGroup = root.group == this.group
    (if (others || group && !isOfGroup) Access.Others else 0) |
      (if (group || others && !isOfGroup) Access.GroupBits else 0)
  }

  private def withAction(entry: AclEntry, change: FsAction => FsAction): AclEntry =
    new AclEntry.Builder().setType(entry.getType).setName(entry.getName).setScope(entry.getScope)
      .setPermission(change(entry.getPermission)).build()
}

private[parquet] object Access {

  private val AllBits = PermissionBits.All
  private val Read = PermissionBits.Read
  private val Execute = PermissionBits.Execute
  private val GroupBits = PermissionBits.OfGroup
  private val Others = PermissionBits.OfOthers
  private val Sticky = PermissionBits.Sticky
  private val WriteOfMany = PermissionBits.Write & (GroupBits | Others)
  private val OwnerFolder = AllBits & ~(GroupBits | Others)
  private val OwnerFile = OwnerFolder & ~Execute

  /** Of the user of this process only. */
  val ofMe: Access = Access(None, None, new FsPermission(OwnerFile.toShort), Nil)

  /** No more open than any of them; None where there is none. */
  def common(all: Iterable[Access]): Option[Access] = all.reduceOption(_.and(_))

  /** As the access control list of something says: its bits for the group are a mask of the list's entries. */
  def of(owner: String, group: String, permission: FsPermission, acl: Seq[AclEntry]): Access = {
    val entries = acl.filter(_.getScope == AclEntryScope.ACCESS)
    val ofGroup = entries.find(e => e.getName == null && e.getType == AclEntryType.GROUP)
    val own = ofGroup.fold(permission) { entry =>
      new FsPermission(
        permission.getUserAction,
        entry.getPermission.and(permission.getGroupAction),
        permission.getOtherAction)
    }
    val whole =
      if (entries.isEmpty) Nil
      else AclUtil.getAclFromPermAndEntries(permission, entries.asJava).asScala.toSeq
    Access(Some(owner), Some(group), own, whole)
  }
}
