//! Classes of Godot that one version has and the other lacks.
//!
//! Source: the class lists of both engines, `api.json` of Godot 3.5 and `extension_api.json` of Godot 4.2 to 4.7. Only classes
//! whose objects can be in a file are listed: no editor classes, and none without instances.

/// The classes of Godot 3 that are called the same in Godot 4, with `3D` at the end.
const NOW_3D: &str = "\
    AStar Area BoneAttachment BoxShape CPUParticles CSGBox CSGCombiner CSGCylinder CSGMesh CSGPolygon CSGSphere \
    CSGTorus Camera CapsuleShape CollisionPolygon CollisionShape ConcavePolygonShape ConeTwistJoint \
    ConvexPolygonShape CylinderShape DirectionalLight Generic6DOFJoint HeightMapShape HingeJoint KinematicCollision \
    MeshInstance MultiMeshInstance NavigationAgent NavigationObstacle OmniLight Path PathFollow PhysicalBone \
    PhysicsShapeQueryParameters PhysicsTestMotionResult PinJoint RayCast RemoteTransform RigidBody Skeleton \
    SkeletonIK SliderJoint SoftBody SphereShape SpotLight SpringArm StaticBody VehicleBody VehicleWheel World";

/// The other classes of Godot 3 that have another name in Godot 4, each with that after `>`; after `:`, a class that took its
/// place.
const RENAMED: &str = "\
    ARVRAnchor>XRAnchor3D ARVRCamera>XRCamera3D ARVRController>XRController3D ARVROrigin>XROrigin3D \
    ARVRPositionalTracker>XRPositionalTracker AnimatedSprite>AnimatedSprite2D \
    AudioStreamOGGVorbis>AudioStreamOggVorbis AudioStreamRandomPitch>AudioStreamRandomizer \
    AudioStreamSample>AudioStreamWAV BakedLightmap>LightmapGI BakedLightmapData>LightmapGIData BitmapFont:FontFile \
    ClippedCamera:Camera3D CubeMap>Cubemap CubeMesh>BoxMesh Directory>DirAccess DynamicFont>FontFile \
    DynamicFontData:FontFile File>FileAccess GIProbe>VoxelGI GIProbeData>VoxelGIData \
    GradientTexture>GradientTexture1D ImmediateGeometry>ImmediateMesh InterpolatedCamera:Camera3D \
    KinematicBody>CharacterBody3D KinematicBody2D>CharacterBody2D Light2D>PointLight2D \
    LineShape2D>WorldBoundaryShape2D Listener>AudioListener3D Listener2D>AudioListener2D Navigation:Node3D \
    Navigation2D:Node2D NavigationMeshInstance>NavigationRegion3D NavigationPolygonInstance>NavigationRegion2D \
    NetworkedMultiplayerENet>ENetMultiplayerPeer NoiseTexture>NoiseTexture2D Occluder>OccluderInstance3D \
    OccluderShapePolygon>PolygonOccluder3D OccluderShapeSphere>SphereOccluder3D OpenSimplexNoise>FastNoiseLite \
    PHashTranslation>OptimizedTranslation PanoramaSky>PanoramaSkyMaterial Particles>GPUParticles3D \
    Particles2D>GPUParticles2D ParticlesMaterial>ParticleProcessMaterial \
    Physics2DShapeQueryParameters>PhysicsShapeQueryParameters2D Physics2DTestMotionResult>PhysicsTestMotionResult2D \
    PlaneShape>WorldBoundaryShape3D PopupDialog:PopupPanel Position2D>Marker2D Position3D>Marker3D \
    ProceduralSky>ProceduralSkyMaterial RayShape>SeparationRayShape3D RayShape2D>SeparationRayShape2D \
    Reference>RefCounted ShortCut>Shortcut Spatial>Node3D SpatialMaterial>StandardMaterial3D Sprite>Sprite2D \
    StreamPeerSSL>StreamPeerTLS StreamTexture>CompressedTexture2D TCP_Server>TCPServer Tabs>TabBar \
    TextureArray>Texture2DArray TextureProgress>TextureProgressBar ToolButton:Button VideoPlayer>VideoStreamPlayer \
    Viewport>SubViewport ViewportContainer>SubViewportContainer VisibilityEnabler>VisibleOnScreenEnabler3D \
    VisibilityEnabler2D>VisibleOnScreenEnabler2D VisibilityNotifier>VisibleOnScreenNotifier3D \
    VisibilityNotifier2D>VisibleOnScreenNotifier2D VisualShaderNodeBooleanUniform>VisualShaderNodeBooleanParameter \
    VisualShaderNodeColorUniform>VisualShaderNodeColorParameter VisualShaderNodeCubeMap>VisualShaderNodeCubemap \
    VisualShaderNodeCubeMapUniform>VisualShaderNodeCubemapParameter \
    VisualShaderNodeScalarConstant>VisualShaderNodeFloatConstant \
    VisualShaderNodeScalarFunc>VisualShaderNodeFloatFunc VisualShaderNodeScalarOp>VisualShaderNodeFloatOp \
    VisualShaderNodeScalarUniform>VisualShaderNodeFloatParameter \
    VisualShaderNodeTextureUniform>VisualShaderNodeTexture2DParameter \
    VisualShaderNodeTextureUniformTriplanar>VisualShaderNodeTextureParameterTriplanar \
    VisualShaderNodeTransformMult>VisualShaderNodeTransformOp \
    VisualShaderNodeTransformUniform>VisualShaderNodeTransformParameter \
    VisualShaderNodeUniformRef>VisualShaderNodeParameterRef \
    VisualShaderNodeVec3Uniform>VisualShaderNodeVec3Parameter WebRTCMultiplayer>WebRTCMultiplayerPeer \
    WebSocketClient:WebSocketPeer WindowDialog>Window YSort:Node2D";

/// The classes of Godot 3 that Godot 4 lacks. `*` matches any end.
const ONLY_3: &str = "\
    ARVRInterfaceGDNative AnimationTreePlayer FuncRef GDNative GDNativeLibrary JSONParseResult LargeTexture \
    MultiplayerPeerGDNative NativeScript NetworkedMultiplayerCustom PackedSceneGLTF PacketPeerGDNative PluginScript \
    Portal ProximityGroup ProxyTexture Room* SceneTreeTween SpatialVelocityTracker StreamPeerGDNative TextFile \
    VideoStreamGDNative VideoStreamWebm VisualScript* VisualShaderNodeScalar* VisualShaderNodeVectorClamp \
    VisualShaderNodeVectorDerivativeFunc VisualShaderNodeVectorInterp VisualShaderNodeVectorScalar* \
    VisualShaderNodeVectorSmoothStep WebRTCDataChannelGDNative WebRTCPeerConnectionGDNative WebSocketServer";

/// The classes of Godot 4 that Godot 3 lacks. `*` matches any end.
const ONLY_4: &str = "\
    AStarGrid2D AimModifier3D AnimatableBody2D AnimatableBody3D AnimationLibrary AnimationNodeExtension \
    AnimationNodeSub2 AnimationNodeSync AreaLight3D ArrayOccluder3D AudioEffectHardLimiter AudioSample \
    AudioSamplePlayback AudioStreamInteractive AudioStreamPlaybackOggVorbis AudioStreamPlaylist \
    AudioStreamPolyphonic AudioStreamSynchronized AwaitTweener BlitMaterial BoneConstraint3D BoneMap \
    BoneTwistDisperser3D BoxOccluder3D CCDIK3D CameraAttributes* CanvasGroup CanvasTexture CodeEdit CodeHighlighter \
    ColorPalette Compositor CompositorEffect Compressed* ConvertTransformModifier3D CopyTransformModifier3D \
    CubemapArray CurveXYZTexture DPITexture Decal DirectionalLight2D DrawableTexture2D ENetConnection EngineDebugger \
    EngineProfiler FABRIK3D FBXDocument FBXState FogMaterial FogVolume FoldableContainer FoldableGroup FontVariation \
    FramebufferCacheRD GDExtension GLTFDocumentExtension GLTFDocumentExtensionConvertImporterMesh \
    GLTFObjectModelProperty GLTFPhysicsBody GLTFPhysicsShape GLTFTextureSampler GPU* Geometry2D Geometry3D \
    GeometryInstance3D GraphElement GraphFrame ImageFormatLoaderExtension ImageTexture3D ImporterMesh \
    ImporterMeshInstance3D InputEventShortcut JacobianIK3D JavaObject JointLimitation3D JointLimitationCone3D \
    LabelSettings LightmapProbe LightmapperRD LimitAngularVelocityModifier3D Logger LookAtModifier3D MenuBar \
    MeshConvexDecompositionSettings MissingNode MissingResource ModifierBoneTarget3D MovieWriter \
    MultiplayerAPIExtension MultiplayerPeerExtension MultiplayerSpawner MultiplayerSynchronizer NativeMenu \
    NavigationLink2D NavigationLink3D NavigationMeshSourceGeometryData2D NavigationMeshSourceGeometryData3D \
    NavigationPath* NavigationServer2DManager NavigationServer3DManager NoiseTexture3D ORMMaterial3D \
    OfflineMultiplayerPeer OggPacketSequence OggPacketSequencePlayback OpenXRAPIExtension OpenXR* \
    PacketPeerExtension Parallax2D PhysicalBone2D PhysicalBoneSimulator3D PhysicalSkyMaterial PhysicsDirect* \
    PhysicsPointQueryParameters2D PhysicsPointQueryParameters3D PhysicsRayQueryParameters2D \
    PhysicsRayQueryParameters3D PhysicsServer2DExtension PhysicsServer2DManager PhysicsServer3* \
    PhysicsTestMotionParameters2D PhysicsTestMotionParameters3D Placeholder* PortableCompressedTexture2D \
    QuadOccluder3D RDAccelerationStructureGeometry RDAccelerationStructureInstance RDAttachmentFormat \
    RDFramebufferPass RDHitGroup RDPipeline* RDSamplerState RDShader* RDTextureFormat RDTextureView RDUniform \
    RDVertexAttribute Render* RetargetModifier3D RibbonTrailMesh SceneMultiplayer SceneReplicationConfig Script* \
    ShaderGlobalsOverride ShaderInclude ShaderIncludeDB ShapeCast2D ShapeCast3D SkeletonModification2* \
    SkeletonModificationStack2D SkeletonModifier3D SkeletonProfile SkeletonProfileHumanoid SplineIK3D SpringBone* \
    StatusIndicator StreamPeerExtension StreamPeerGZIP StreamPeerUDS SubtweenTweener SyntaxHighlighter SystemFont \
    TextLine TextParagraph TextServer* Texture2* Texture3DRD TextureCubemapArrayRD TextureCubemapRD ThemeDB TileData \
    TileMapLayer TileMapPattern TileSetAtlasSource TileSetScenesCollectionSource TorusMesh TranslationDomain \
    TubeTrailMesh TwoBoneIK3D UDSServer UniformSetCacheRD VideoStreamPlayback VirtualJoystick VisualInstance3D \
    VisualShaderNodeBillboard VisualShaderNodeClamp VisualShaderNodeComment VisualShaderNodeCurveTexture \
    VisualShaderNodeCurveXYZTexture VisualShaderNodeDerivativeFunc VisualShaderNodeDistanceFade \
    VisualShaderNodeFrame VisualShaderNodeInt* VisualShaderNodeLinearSceneDepth VisualShaderNodeMix \
    VisualShaderNodeMultiplyAdd VisualShaderNodeParticle* VisualShaderNodeProximityFade VisualShaderNodeRandomRange \
    VisualShaderNodeRemap VisualShaderNodeReroute VisualShaderNodeRotationByAxis VisualShaderNodeSDFRaymarch \
    VisualShaderNodeSDFToScreenUV VisualShaderNodeScreenNormalWorldSpace VisualShaderNodeScreenUVToSDF \
    VisualShaderNodeSmoothStep VisualShaderNodeStep VisualShaderNodeTexture2DArray \
    VisualShaderNodeTexture2DArrayParameter VisualShaderNodeTexture3D VisualShaderNodeTexture3DParameter \
    VisualShaderNodeTextureSDF VisualShaderNodeTextureSDFNormal VisualShaderNodeUInt* VisualShaderNodeUVFunc \
    VisualShaderNodeUVPolarCoord VisualShaderNodeVaryingGetter VisualShaderNodeVaryingSetter \
    VisualShaderNodeVec2Constant VisualShaderNodeVec2Parameter VisualShaderNodeVec4Constant \
    VisualShaderNodeVec4Parameter VisualShaderNodeWorldPositionFromDepth WebRTCDataChannelExtension \
    WebRTCPeerConnectionExtension XRBodyModifier3D XRBodyTracker XRControllerTracker XRFaceModifier3D XRFaceTracker \
    XRHandModifier3D XRHandTracker XRInterfaceExtension XRNode3D XRPose XRServer XRVRS ZIPPacker ZIPReader";

/// The replacement in the other version for a class that it lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// A class of this name.
    Class(String),
    /// Nothing.
    Nothing,
}

/// The replacement in version `to` for a class of the other version; `None` if `to` has the class itself, or if the class is not
/// one of the engine.
pub fn other(class: &str, to: u8) -> Option<Other> {
    // version 3 calls some classes `_File` in objects, and `File` in scripts
    let class = class.strip_prefix('_').unwrap_or(class);
    let mut renamed = RENAMED.split(' ').filter_map(|pair| Some((pair.contains('>'), pair.split_once(['>', ':'])?)));
    let mut in_3d = NOW_3D.split(' ');
    let (renamed, only) = if to == 4 {
        let in_3d = in_3d.find(|old| *old == class).map(|old| format!("{old}3D"));
        let renamed = || renamed.find(|(_, (old, _))| *old == class).map(|(_, (_, new))| new.to_owned());
        (in_3d.or_else(renamed), ONLY_3)
    } else {
        let in_3d = in_3d.find(|old| class.strip_suffix("3D") == Some(*old)).map(str::to_owned);
        let renamed = || renamed.find(|(both, (_, new))| *both && *new == class).map(|(_, (old, _))| old.to_owned());
        (in_3d.or_else(renamed), ONLY_4)
    };
    let is_missing = |name: &str| match name.strip_suffix('*') {
        Some(start) => class.starts_with(start),
        None => class == name,
    };
    renamed.map(Other::Class).or_else(|| only.split(' ').any(is_missing).then_some(Other::Nothing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn each_version_names_what_it_has_instead() {
        let class = |name: &str| Some(Other::Class(name.to_owned()));
        for (three, four) in [
            ("Reference", "RefCounted"),
            ("Spatial", "Node3D"),
            ("RigidBody", "RigidBody3D"),
            ("Camera", "Camera3D"),
            ("Sprite", "Sprite2D"),
            ("DynamicFont", "FontFile"),
            ("File", "FileAccess"),
        ] {
            assert_eq!((other(three, 4), other(four, 3)), (class(four), class(three)));
            assert_eq!((other(four, 4), other(three, 3)), (None, None));
        }
        assert_eq!(other("_File", 4), class("FileAccess"));
        // a class took its place that both have
        assert_eq!((other("ToolButton", 4), other("Button", 3)), (class("Button"), None));
        for only_3 in ["FuncRef", "VisualScript", "VisualScriptFunction", "GDNative"] {
            assert_eq!((other(only_3, 4), other(only_3, 3)), (Some(Other::Nothing), None), "{only_3}");
        }
        for only_4 in ["CodeEdit", "OpenXRHand", "Parallax2D"] {
            assert_eq!((other(only_4, 3), other(only_4, 4)), (Some(Other::Nothing), None), "{only_4}");
        }
        for both in
            ["Node", "Node2D", "Resource", "GDScript", "Label", "Tween", "Image", "Thread", "_Thread", "MyOwn", ""]
        {
            assert_eq!((other(both, 3), other(both, 4)), (None, None), "{both}");
        }
    }

    /// A class has one place in the tables, so that what is said of it is one thing.
    #[test]
    fn no_class_is_listed_twice() {
        let renamed = RENAMED.split(' ').filter_map(|pair| pair.split_once(['>', ':']));
        let (old, _): (Vec<_>, Vec<_>) = renamed.unzip();
        let mut of_3: Vec<_> = NOW_3D.split(' ').chain(old).chain(ONLY_3.split(' ')).collect();
        of_3.sort_unstable();
        assert!(of_3.windows(2).all(|pair| pair[0] != pair[1]));
        let mut of_4: Vec<_> = ONLY_4.split(' ').collect();
        of_4.sort_unstable();
        assert!(of_4.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
